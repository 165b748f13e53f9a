# The load at which each scheme saturates, for two lengths, as routers are and with path reservation.
# saturation.csv: 1 length, 2 destinations, 3 planner, 4 router, 5 runs, 6 carried, 7 not carried, 8 outcome there.
# SPDX-License-Identifier: MIT
load from.'/chips/lines.gp'
set terminal svg size 1700,1080 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 2,3 margins 0.06,0.985,0.16,0.89 spacing 0.07,0.14 title 'Load that a scheme carries, 16×16 mesh, headers in 64-bit flits, all ports' font ',15'
set logscale y
set yrange [9e-5:0.05]
set ylabel 'flits of multicasts a node and cycle'
lasting(i, l, r) = sprintf("< awk -F, '$1 == %d && ($3 == \"%s\" || $3 == \"%s:replication=asynchronous\") && $4 == \"%s\" && $6 > 0' %s/saturation.csv | sort -t, -k2n", l, scheme[i], scheme[i], r, dir)
stuck(i, l) = sprintf("< awk -F, '$1 == %d && $3 == \"%s\" && $4 == \"plain\" && $8 == \"deadlock\"' %s/saturation.csv | sort -t, -k2n", l, scheme[i], dir)
first_tree = 10
do for [l in '5 64'] {
  set title heading(l.' flits, buffers of 4, channels one by one', l eq '5' ? caption_saturation_5 : caption_saturation_64)
  if (l eq '5') { set key at screen 0.5,0.01 center bottom maxrows 4 samplen 3 } else { unset key }
  plot for [i = 1:scheme_count] lasting(i, l + 0, 'plain') using 2:6:6:7 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i], \
    for [i = 1:scheme_count] stuck(i, l + 0) using 2:7 with points lc rgb colour(base[i]) pt 2 ps 1.2 lw 2 notitle, \
    NaN with points lc rgb 'black' pt 2 ps 1.2 lw 2 title 'deadlocked at this load'
  unset key
  set title heading(l.' flits, buffers of 4, trees with path reservation', l eq '5' ? caption_saturation_reserved_5 : caption_saturation_reserved_64)
  plot for [i = 1:scheme_count] lasting(i, l + 0, i < first_tree ? 'plain' : 'reserved') using 2:6:6:7 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
  if (l eq '5') {
    set title heading('5 flits, buffers of 16, trees copied asynchronously', caption_saturation_deep_5)
    plot for [i = 1:scheme_count] lasting(i, 5, 'deep') using 2:6:6:7 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
  }
}
unset multiplot
