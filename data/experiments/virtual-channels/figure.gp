# Latency against load with 1, 2 and 4 virtual channels, a panel each; table: 1 virtual channels, 2 rate, 3 routes, 4 planner,
# 5 outcome, 6 runs with it, 8 mean latency; runs = how many a point has. A cross: some run stood still.
# SPDX-License-Identifier: MIT
load from.'/planners.gp'
set terminal svg size 1100,430 dynamic font 'sans,12' background '#ffffff'
set multiplot layout 1,3 title 'Multicasts to 8 destinations on the 8×8 mesh, 16 flits, routers that give out virtual channels and copy flit by flit' \
  margins 0.06,0.99,0.13,0.85 spacing 0.035
set xlabel 'offered load (flits per node and cycle)'
set xrange [0:0.0625]
set xtics 0.02
set yrange [0:400]
array names[5] = ['dual-path', 'dual-path', 'ocms', 'ocms', 'xy-tree']
array bases[5] = ['dual-path', 'dual-path', 'ocms', 'ocms', 'xy-tree']
array routes[5] = ['fixed', 'adaptive', 'fixed', 'adaptive', 'fixed']
array titles[5] = ['dual-path', 'dual-path adaptive', 'ocms', 'ocms adaptive', 'xy-tree']
array points[5] = [5, 4, 7, 6, 9]
array dashes[5] = [1, 2, 1, 2, 1]
rows(v, i) = sprintf("< awk -F, '$1 == %d && $3 == \"%s\" && $4 == \"%s\" && $5 == \"complete\" && $6 == %s' %s", v, routes[i], names[i], runs, table)
# The lowest load at which a run stood still, at the height of the last one that all runs carried.
stood(v, i) = sprintf("< awk -F, '$1 == %d && $3 == \"%s\" && $4 == \"%s\" { if ($5 == \"complete\" && $6 == %s) height = $8; if ($5 == \"deadlock\") { print $2 \",\" height + 0; exit } }' %s", v, routes[i], names[i], runs, table)
do for [v in '1 2 4'] {
  set title v.(v eq '1' ? ' virtual channel' : ' virtual channels') offset 0,-0.5
  if (v eq '1') {
    set ylabel 'latency to the last destination (cycles; mean of '.runs.' runs)'
    set key top right samplen 2 spacing 1.1
  } else {
    unset ylabel
    unset key
  }
  plot for [i = 1:5] keyentry with linespoints lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.6 lw 1.5 title titles[i], \
    keyentry with points lc rgb colour('xy-tree') pt 2 ps 1.6 lw 2.5 title 'a run stood still', \
    for [i = 1:5] rows(int(v), i) using 2:8 with linespoints lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.6 lw 1.5 notitle, \
    for [i = 1:5] stood(int(v), i) using 1:($2 > 0 ? $2 : 25) with points lc rgb colour(bases[i]) pt 2 ps 1.6 lw 2.5 notitle
}
unset multiplot
