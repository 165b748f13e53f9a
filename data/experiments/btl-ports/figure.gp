# The paper's model of BTL with all ports and with one port a node. SPDX-License-Identifier: MIT
load 'data/experiments/btl-6/lines.gp'
set terminal svg size 1150,600 dynamic font 'sans,13' background '#ffffff'
set title "Latency in the paper's model on the 40x40 torus: all ports, and one port a node" font ',15'
set xlabel 'destinations'
set ylabel 'latency (ns; mean, 95 % interval)'
set xrange [0:1650]
set yrange [2000:4600]
set key outside right center samplen 3
plot for [i = 1:5] rows(all.'/model.csv', i) using 3:($6*10):($7*10) with yerrorlines lc rgb colours[i] pt points[i] ps 0.6 title titles[i].', all ports', \
     for [i = 1:5] rows(dir.'/model.csv', i) using 3:($6*10):($7*10) with yerrorlines dt 2 lc rgb colours[i] pt points[i] ps 0.6 title titles[i].', one port'
