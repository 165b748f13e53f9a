# Traffic of a multicast on the 16x16 and 32x32 mesh against the number of destinations. SPDX-License-Identifier: MIT
# Columns: 1 topology, 2 planner, 3 destinations, 4 records, then of each metric mean, half interval, min, max.
load from.'/quality/lines.gp'
set terminal svg size 1100,560 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,2 margins 0.07,0.985,0.24,0.86 spacing 0.08 title 'Traffic of a multicast, each alone in the network' font ',15'
rows(side, i) = sprintf("< awk -F, '$1 == \"mesh-%dx%d\" && $2 == \"%s\"' %s | sort -t, -k3n", side, side, names[i], csv)
sets(side) = system(sprintf("awk -F, '$1 == \"mesh-%dx%d\" { print $4; exit }' %s", side, side, csv))
set logscale x 2
set xlabel 'destinations'
set ylabel 'channels (mean, 95 % interval)'
do for [side in '16 32'] {
  set title side.'×'.side.' mesh, '.sets(side+0).' sets a point'
  set xrange [side eq '16' ? 3.5 : 7 : 150]
  set yrange [0:*]
  if (side eq '16') { set key at screen 0.5,0.02 center bottom maxrows 2 samplen 3 } else { unset key }
  plot for [i = 1:8] rows(side+0, i) using 3:5:6 with yerrorlines lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
}
unset multiplot
