# The paper's model of BTL with all ports and with one port a node. SPDX-License-Identifier: MIT
load 'data/experiments/btl-6/lines.gp'
order = '4 3 5 1 2'
set terminal svg size 1150,600 dynamic font 'sans,13' background '#ffffff'
set title "Latency in the paper's model on the 40x40 torus: all ports, and one port a node" font ',15'
set xlabel 'destinations'
set ylabel 'latency (ns; mean, 95 % interval)'
set xrange [0:1650]
set yrange [2000:4600]
set key outside right center samplen 3
plot for [w in order] rows(all.'/model.csv', w+0) using 3:($6*10):($7*10) with yerrorlines lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0] title titles[w+0].', all ports', \
     for [w in order] rows(dir.'/model.csv', w+0) using 3:($6*10):($7*10) with yerrorlines dt 2 lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0] title titles[w+0].', one port'
