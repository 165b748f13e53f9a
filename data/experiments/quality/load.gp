# Latency of multicasts to 16 destinations under load, 16x16 mesh. SPDX-License-Identifier: MIT
# Columns: 1 topology, 2 planner, 3 rate, 4 outcome, 5 runs, 6 mean latency, 7 half width of its interval.
load from.'/quality/lines.gp'
set terminal svg size 820,540 dynamic font 'sans,13' background '#ffffff'
set title 'Latency under load: 16×16 mesh, 16 destinations, 32 flits' font ',15'
set xlabel 'offered load (flits per node and 1000 cycles)'
set ylabel 'latency (cycles; mean of 3 runs, 95 % interval)'
set logscale y
set yrange [60:2000]
set xrange [0:*]
set key outside right center samplen 3
set format y '%.0f'
rows(i) = sprintf("< awk -F, '$2 == \"%s\" && $4 == \"complete\"' %s", names[i], csv)
plot for [i = 1:8] rows(i) using ($3*1000):6:7 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
