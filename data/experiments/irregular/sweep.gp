# One panel for each value of a swept parameter: latency against set size.
# gnuplot -e "table='…'; output='…'; series='startup'; base='500'; values='100 500 2000'; label='startup (cycles)'" sweep.gp
set terminal svg size 1150,420 dynamic background "white" font "sans,12"
set output output
set multiplot layout 1,words(values) title "Multicast latency on irregular networks, up*/down* routing: ".label
set xlabel "destinations"
set logscale x
set xtics (4,8,16,32,63)
set xrange [3.5:72]
set yrange [0:*]
set grid lc rgb "#dddddd"
set key at graph 0.98,0.47 right top font ",9" samplen 2 spacing 0.9
# The base point stands in the series startup.
rows(v, scheme) = sprintf("< awk -F'\\t' '$2 == \"%s\" && $3 == \"%s\" && $11 == \"%s\" { print $4, $13 }' %s | sort -n", \
  v eq base ? "startup" : series, v eq base ? "500" : v, scheme, table)
do for [i=1:words(values)] {
  v = word(values, i)
  set title label." = ".v
  if (i == 1) { set ylabel "latency (cycles)" } else { unset ylabel }
  if (i == 2) { unset key }  # one key for all panels
  plot rows(v, "best-unicast")   using 1:2 with linespoints lw 2 pt 7 lc rgb "#d55e00" title "best unicast", \
       rows(v, "mpm-ssr-naive")  using 1:2 with linespoints lw 2 pt 5 lc rgb "#56b4e9" title "MPM-SSR naive", \
       rows(v, "mpm-ssr-largest") using 1:2 with linespoints lw 2 pt 9 lc rgb "#0072b2" title "largest first", \
       rows(v, "mpm-ssr-ranges") using 1:2 with linespoints lw 2 pt 11 lc rgb "#cc79a7" title "ranges", \
       rows(v, "opm")            using 1:2 with linespoints lw 2 pt 13 lc rgb "#009e73" title "OPM"
}
unset multiplot
