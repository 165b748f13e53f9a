# Figure 8 of the BTL paper; dir = where the CSV files of Figure 6 are. SPDX-License-Identifier: MIT
load 'data/experiments/btl-6/lines.gp'
set terminal svg size 900,600 dynamic font 'sans,13' background '#ffffff'
set title 'Traffic of a multicast on the 40x40 torus, source central (BTL, Figure 8)'
set xlabel 'destinations'
set ylabel 'channels (mean, 95 % interval)'
set xrange [0:1650]
set yrange [0:2500]
set key bottom right samplen 3
twice = sprintf("< awk -F, '$1 == \"btl:hmp-messages=2:%s\" || $1 == \"btl:%s:hmp-messages=2\"' %s/model.csv", relayed, relayed, dir)
plot for [w in order] rows(dir.'/model.csv', w+0) using 3:10:11 with yerrorlines lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0] title titles[w+0].(w == '6' ? ', up to 5100' : ''), \
  twice using 3:10:11 with yerrorlines dt 2 lc rgb colours[2] pt 6 ps 0.7 title 'BTL, two main path messages'
