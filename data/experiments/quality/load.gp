# Latency of multicasts to 16 destinations under load, 16x16 mesh, three routers. SPDX-License-Identifier: MIT
# Columns: 1 topology, 2 planner, 3 rate, 4 outcome, 5 runs, 6 mean latency, 7 half width of its interval.
load from.'/quality/lines.gp'
set terminal svg size 1300,560 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.06,0.985,0.24,0.86 spacing 0.055 title 'Latency under load: 16×16 mesh, 16 destinations, 32 flits' font ',15'
set xlabel 'offered load (flits per node and 1000 cycles)'
set logscale y
set yrange [60:1000]
set xrange [0:5.2]
set format y '%.0f'
array tables[3] = ['load', 'deep', 'port']
array routers[3] = ['buffers of 4 flits, all ports', 'buffers of 32 flits, all ports', 'buffers of 4 flits, one injection channel']
rows(t, i) = sprintf("< awk -F, '$2 == \"%s\" && $4 == \"complete\"' %s/%s.csv", names[i], dir, tables[t])
do for [t = 1:3] {
  set title routers[t]
  if (t == 1) { set ylabel 'latency (cycles; mean of 3 runs, 95 % interval)' } else { unset ylabel }
  if (t == 2) { set key at screen 0.5,0.02 center bottom maxrows 2 samplen 3 } else { unset key }
  plot for [i = 1:8] rows(t, i) using ($3*1000):6:7 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
}
unset multiplot
