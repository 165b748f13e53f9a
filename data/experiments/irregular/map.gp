# Where MPM-SSR beats the best unicasts: latency ratio against startup, for message lengths.
# gnuplot -e "table='…'; output='…'" map.gp
# SPDX-License-Identifier: MIT
load 'data/experiments/planners.gp'
set datafile separator whitespace
set terminal svg size 900,520 dynamic background "white" font "sans,12"
set output output
set title "MPM-SSR over the best unicast of each instance: 256 hosts on 64 switches, 64 destinations"
set xlabel "startup (cycles)"
set ylabel "latency ratio (below 1: MPM-SSR is faster)"
set xrange [-50:2050]
set yrange [0.5:1.5]
set grid lc rgb "#dddddd"
set key top right
rows(l, scheme) = sprintf("< awk -F'\\t' '$2 == \"map\" && $3 == \"%s\" && $11 == \"%s\" { print $9, $14, $16 }' %s | sort -n", l, scheme, table)
lengths = "32 128 512"
plot 1 with lines dt 2 lc rgb "black" notitle, \
     for [i=1:3] rows(word(lengths, i), "mpm-ssr-naive") using 1:2:3 with yerrorlines lw 2 pt 5 dt i lc rgb colour('mpm-ssr') title "naive, ".word(lengths, i)." flits", \
     for [i=1:3] rows(word(lengths, i), "mpm-ssr-ranges") using 1:2:3 with yerrorlines lw 2 pt 11 dt i lc rgb colour('mpm-ssr-ranges') title "ranges, ".word(lengths, i)." flits"
