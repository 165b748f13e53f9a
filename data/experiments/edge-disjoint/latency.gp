# Latency of optimal stars with and without shared channels, 16x16 mesh. SPDX-License-Identifier: MIT
# alone.csv: 1 buffer, 2 topology, 3 planner, 4 destinations, 5 records, 6-9 traffic, 10-13 longest path, 14 latency, 15 half
# interval. load-B.csv: 2 planner, 3 rate, 4 outcome, 6 latency, 7 half interval.
load from.'/planners.gp'
array names[4] = ['ocms:first-hop=free', 'ocms:first-hop=free:edge-disjoint=yes', 'otms:first-hop=free', 'otms:first-hop=free:edge-disjoint=yes']
array titles[4] = ['ocms', 'ocms, edge-disjoint', 'otms', 'otms, edge-disjoint']
array bases[4] = ['ocms', 'ocms', 'otms', 'otms']
array points[4] = [7, 6, 10, 12]
array dashes[4] = [1, 3, 1, 3]
set terminal svg size 1300,560 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.06,0.985,0.22,0.86 spacing 0.055 title 'Stars with and without shared channels: 16×16 mesh, 32 flits, any first hop' font ',15'
alone(i) = sprintf("< awk -F, '$1 == 4 && $3 == \"%s\"' %s/alone.csv | sort -t, -k4n", names[i], dir)
loaded(b, i) = sprintf("< awk -F, '$2 == \"%s\" && $4 == \"complete\"' %s/load-%d.csv", names[i], dir, b)
set title 'each alone, buffers of 4 flits'
set logscale x 2
set xlabel 'destinations'
set ylabel 'latency (cycles; mean, 95 % interval)'
set xrange [3.5:72]
set yrange [0:*]
set key at screen 0.5,0.02 center bottom maxrows 1 samplen 3
plot for [i = 1:4] alone(i) using 4:14:15 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
unset logscale x
unset key
unset ylabel
set xlabel 'offered load (flits per node and 1000 cycles)'
set xrange [0:4.4]
set yrange [0:170]
do for [b in '4 16'] {
  set title 'under load, 16 destinations, buffers of '.b.' flits'
  plot for [i = 1:4] loaded(b+0, i) using ($3*1000):6:7 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 notitle
}
unset multiplot
