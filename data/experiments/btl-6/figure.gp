# Figure 6 of the BTL paper and its flit simulations; dir = where the CSV files are.
# SPDX-License-Identifier: MIT
load 'data/experiments/btl-6/lines.gp'
set terminal svg size 1200,1100 dynamic font 'sans,12' background '#ffffff'
set multiplot layout 3,2 title 'Latency of a multicast on the 40x40 torus, source central (BTL, Figure 6)' font ',15'
set logscale x
set xrange [9:1800]
set xtics (10, 100, 200, 400, 800, 1600)
set xlabel 'destinations'
set ylabel 'latency (ns; mean, 95 % interval)'
set yrange [1800:4000]
unset key
set title "the paper's model"
plot for [w in order] rows(dir.'/model.csv', w+0) using 3:($6*10):($7*10) with yerrorlines lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0]
set yrange [1800:6500]
do for [length in '1 32 128'] {
  set title 'flit simulation, '.length.(length eq '1' ? ' flit' : ' flits').', all ports (u-torus as far as the frame)'
  plot for [w in order] rows(dir.'/flits-'.length.'.csv', w+0) using 3:($6*10):($7*10) with yerrorlines lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0]
}
set title 'flit simulation, 32 flits, one port a node (u-torus as far as the frame)'
set yrange [1800:9000]
plot for [w in order] rows(dir.'/one-port.csv', w+0) using 3:($6*10):($7*10) with yerrorlines lw widths[w+0] lc rgb colours[w+0] pt points[w+0] ps sizes[w+0]
unset title
unset logscale
unset border
unset tics
unset xlabel
unset ylabel
set key center center samplen 3 spacing 1.4
set xrange [0:1]
set yrange [0:1]
plot for [i = 1:7] 2 with linespoints lw widths[i] lc rgb colours[i] pt points[i] ps sizes[i] title titles[i]
unset multiplot
