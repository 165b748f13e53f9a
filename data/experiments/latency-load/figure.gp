# Latency against load; table = the points that every run carried: 1 rate, 2 planner, 9 mean latency, 10 half width of its
# interval over the runs; runs = how many a point has. SPDX-License-Identifier: MIT
load from.'/planners.gp'
set terminal svg size 900,600 dynamic font 'sans,13' background '#ffffff'
set title 'Multicasts to 10 destinations on the 16×16 mesh, 32 flits, 4-flit buffers, all ports'
set xlabel 'offered load (flits of multicasts per node and cycle)'
set ylabel 'latency to the last destination (cycles; mean of '.runs.' runs, 95 % interval)'
set xrange [0:0.0105]
set yrange [0:800]
set key top left samplen 3
array names[9] = ['separate', 'binomial', 'u-mesh', 'dual-path', 'multi-path', 'ocms', 'ocms:first-hop=free', 'otms', 'otms:first-hop=free']
array titles[9] = ['separate', 'binomial', 'u-mesh', 'dual-path', 'multi-path', 'ocms strict', 'ocms free', 'otms strict', 'otms free']
array bases[9] = ['separate', 'binomial', 'u-mesh', 'dual-path', 'multi-path', 'ocms', 'ocms', 'otms', 'otms']
array points[9] = [5, 9, 11, 5, 9, 7, 6, 13, 12]
array dashes[9] = [1, 1, 1, 1, 1, 1, 2, 1, 2]
rows(i) = sprintf("< awk -F, '$2 == \"%s\"' %s", names[i], table)
plot for [i = 1:9] rows(i) using 1:9:10 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
