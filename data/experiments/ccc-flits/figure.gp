# Latency of U-CCC multicasts in flit time, by order and setting. SPDX-License-Identifier: MIT
# Columns: 1 planner, 2 length, 3 destinations, 4 records, 5 mean latency, 6 half width of its interval.
set terminal svg size 1300,460 dynamic font 'sans,12' background '#ffffff'
load 'data/experiments/planners.gp'
set key bottom right samplen 2
set xlabel 'multicast set size (the source included)'
set ylabel 'latency (cycles; mean, 95 % interval)'
rows(s, planner) = sprintf("< awk -F, '$1 == \"%s\"' %s/%s.csv | sort -t, -k3n", planner, dir, s)
array settings[3] = ['256-0', '256-100', '32-100']
array titles[3] = ['256 flits, no startup', '256 flits, startup 100 cycles', '32 flits, startup 100 cycles']
set multiplot layout 1,3 title 'Unicast trees on the 7-D CCC, virtual channels sharing their links, one port a node'
do for [i = 1:3] {
  set title titles[i]
  plot rows(settings[i], 'u-ccc') using ($3+1):5:6 with yerrorlines lc rgb colour('u-ccc') pt 7 ps 0.6 title 'u-ccc', \
       rows(settings[i], 'u-ccc:order=masked') using ($3+1):5:6 with yerrorlines lc rgb '#7570b3' pt 6 ps 0.8 title 'u-ccc, masked order', \
       rows(settings[i], 'binomial') using ($3+1):5:6 with yerrorlines lc rgb colour('binomial') pt 5 ps 0.6 dt 2 title 'binomial, by node number'
}
unset multiplot
