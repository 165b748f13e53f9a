# Traffic of stars above what has fewer rules, on the 8x8 and 16x16 mesh. SPDX-License-Identifier: MIT
# Columns: 1 topology, 2 destinations, 3 planner, 4 records, 5 traffic, 6 worms, 7 bound, 8 exact, 9 and 10 percent above.
load from.'/planners.gp'
array names[6] = ['dual-path', 'multi-path', 'ocms', 'ocms:first-hop=free', 'ocms:worms-a-port=any', 'steiner-tree']
array titles[6] = ['dual-path', 'multi-path', 'ocms strict', 'ocms free', 'ocms without port limits', 'greedy Steiner tree']
array bases[6] = ['dual-path', 'multi-path', 'ocms', 'ocms', 'ocms', 'steiner-tree']
array points[6] = [5, 9, 7, 6, 12, 4]
array dashes[6] = [1, 1, 1, 2, 3, 1]
set terminal svg size 1100,560 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,2 margins 0.07,0.985,0.24,0.86 spacing 0.08 title 'Traffic above the bound of any tree' font ',15'
rows(side, i) = sprintf("< awk -F, '$1 == \"mesh-%dx%d\" && $3 == \"%s\"' %s | sort -t, -k2n", side, side, names[i], csv)
sets(side) = system(sprintf("awk -F, '$1 == \"mesh-%dx%d\" { print $4; exit }' %s", side, side, csv))
set logscale x 2
set xlabel 'destinations'
set ylabel 'percent above the bound (of the means)'
set yrange [0:*]
do for [side in '8 16'] {
  set title side.'×'.side.' mesh, '.sets(side+0).' sets a point; exact up to 10 destinations'
  set xrange [1.8 : side eq '8' ? 70 : 142]
  if (side eq '8') { set key at screen 0.5,0.02 center bottom maxrows 2 samplen 3 } else { unset key }
  plot for [i = 1:6] rows(side+0, i) using 2:10 with linespoints lc rgb colour(bases[i]) dt dashes[i] pt points[i] ps 0.7 title titles[i]
}
unset multiplot
