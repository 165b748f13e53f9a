# Longest path of one worm, and along worms that follow each other. SPDX-License-Identifier: MIT
load from.'/chips/lines.gp'
set terminal svg size 1280,660 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,2 margins 0.075,0.985,0.29,0.82 spacing 0.1 title 'Longest path of a multicast on the 16×16 mesh' font ',15'
set logscale y
set autoscale yfix
set ylabel 'hops (mean, 95 % interval)'
set title heading('of one worm', caption_longest_5)
set key at screen 0.5,0.02 center bottom maxrows 4 samplen 3
plot for [i = 1:scheme_count] rows(i, 5) using 3:9:10 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
unset key
set title heading('summed along worms that relays send on', '{/*0.8 u-mesh and dpm; the others send no worm on}')
plot for [i = 1:scheme_count] rows(i, 5) using 3:13:14 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
unset multiplot
