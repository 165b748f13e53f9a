# Traffic of a multicast in channels, and in flits over channels with headers for two lengths. SPDX-License-Identifier: MIT
# alone.csv: 1 length, 2 planner, 3 destinations, 4 records, then of each metric mean, half interval, min, max.
load from.'/chips/lines.gp'
set terminal svg size 1500,680 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,3 margins 0.055,0.985,0.29,0.79 spacing 0.07 title 'Traffic of a multicast on the 16×16 mesh' font ',15'
flit_rows(i, l) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\"' %s/flits.csv | sort -t, -k3n", l, scheme[i], dir)
set logscale y
set autoscale yfix
set title heading('channels, without headers', caption_channels_5)
set ylabel 'channels (mean, 95 % interval)'
set key at screen 0.5,0.02 center bottom maxrows 4 samplen 3
plot for [i = 1:scheme_count] rows(i, 5) using 3:5:6 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
unset key
set ylabel 'flits over channels (mean)'
set title heading('5 flits and headers', caption_flits_5)
plot for [i = 1:scheme_count] flit_rows(i, 5) using 3:($5/$6) with linespoints lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
set title heading('64 flits and headers', caption_flits_64)
plot for [i = 1:scheme_count] flit_rows(i, 64) using 3:($5/$6) with linespoints lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
unset multiplot
