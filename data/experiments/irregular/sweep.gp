# One panel for each value of a swept parameter: latency against set size.
# gnuplot -e "table='…'; output='…'; series='startup'; base='500'; values='100 500 2000'; label='startup (cycles)'" sweep.gp
# SPDX-License-Identifier: MIT
load 'data/experiments/planners.gp'
set datafile separator whitespace
set terminal svg size 1150,420 dynamic background "white" font "sans,12"
set output output
set multiplot layout 1,words(values) title "Multicast latency on irregular networks, up*/down* routing: ".label
set xlabel "destinations"
set logscale x
set xtics (4,8,16,32,63)
set xrange [3.5:72]
set yrange [0:*]
set key at graph 0.98,0.47 right top font ",9" samplen 2 spacing 0.9
# The base point stands in the series startup.
rows(v, scheme) = sprintf("< awk -F'\\t' '$2 == \"%s\" && $3 == \"%s\" && $11 == \"%s\" { print $4, $13, $15 }' %s | sort -n", \
  v eq base ? "startup" : series, v eq base ? "500" : v, scheme, table)
do for [i=1:words(values)] {
  v = word(values, i)
  set title label." = ".v
  if (i == 1) { set ylabel "latency (cycles; mean, 95 % interval)" } else { unset ylabel }
  if (i == 2) { unset key }  # one key for all panels
  plot rows(v, "best-unicast")   using 1:2:3 with yerrorlines lw 2 pt 7 lc rgb colour('best-unicast') title "best unicast", \
       rows(v, "mpm-ssr-naive")  using 1:2:3 with yerrorlines lw 2 pt 5 lc rgb colour('mpm-ssr') title "MPM-SSR naive", \
       rows(v, "mpm-ssr-largest") using 1:2:3 with yerrorlines lw 2 pt 9 lc rgb colour('mpm-ssr-largest') title "largest first", \
       rows(v, "mpm-ssr-ranges") using 1:2:3 with yerrorlines lw 2 pt 11 lc rgb colour('mpm-ssr-ranges') title "ranges", \
       rows(v, "opm")            using 1:2:3 with yerrorlines lw 2 pt 13 lc rgb colour('opm') title "OPM"
}
unset multiplot
