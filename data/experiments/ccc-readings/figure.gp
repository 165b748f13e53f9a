# Steps of a U-CCC multicast above the lower bound, by reading of the step model, 7-D. SPDX-License-Identifier: MIT
# Columns: 1 reading, 2 planner, 3 destinations, 4 records, 5 steps, 6 interval, 7 min, 8 max, 9 least steps, 10-12,
# 13 blocked, 14-16, 17 fluid time in thousandths of a step, 18 interval.
load from.'/planners.gp'
set terminal svg size 900,560 dynamic font 'sans,13' background '#ffffff'
set title 'What the step model leaves open: steps above the lower bound, 7-D CCC' font ',15'
set xlabel 'multicast set size (the source included)'
set ylabel 'steps above the lower bound (mean, 95 % interval)'
set xrange [0:920]
set yrange [-0.05:*]
set key top right samplen 3
rows(reading, planner) = sprintf("< awk -F, '$1 == \"%s\" && $2 == \"%s\"' %s | sort -t, -k3n", reading, planner, csv)
array names[5] = ['one-port-older', 'literal-older', 'one-port-chain', 'one-port-subtree', 'nominal-older']
array titles[5] = ['u-ccc: delays both sides, older first (the figures)', 'u-ccc: delays the receiver only, older first', 'u-ccc: delays both sides, chain order', 'u-ccc: delays both sides, larger subtree first', 'u-ccc: blocked, but delays nothing']
array shades[5] = [colour('u-ccc'), '#66c2a5', '#a6d854', '#e6ab02', '#bbbbbb']
array points[5] = [7, 5, 9, 10, 1]
# The larger subtree first comes to nearly what the figures' reading does: drawn first, wider.
array sizes[5] = [0.6, 0.7, 0.7, 1.5, 0.7]
array widths[5] = [1, 1, 1, 3.5, 1]
plot for [w in '4 2 3 5 1'] rows(names[w+0], 'u-ccc') using ($3+1):($5-$9):6 with yerrorlines lw widths[w+0] lc rgb shades[w+0] pt points[w+0] ps sizes[w+0] title titles[w+0], \
     rows(names[1], 'u-ccc') using ($3+1):($17/1000-$9):($18/1000) with yerrorlines lc rgb '#e7298a' dt 2 pt 12 ps 0.8 title 'u-ccc: sharing bandwidth, nobody blocked', \
     rows(names[1], 'u-ccc:order=masked') using ($3+1):($5-$9) with linespoints lc rgb '#7570b3' pt 6 ps 0.8 title 'our masked order, under every reading'
