# Figure 10: the worst U-CCC multicast of all sets drawn beside separate addressing, 9-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Steps of U-CCC and of separate addressing, 4608-node CCC (Figure 10)'
set ylabel 'steps'
set logscale y
set yrange [5:900]
set xrange [40:530]
plot rows(9, 'separate') using ($3+1):5 with linespoints lc rgb colour('separate') pt 5 ps 0.6 title 'separate addressing', \
     rows(9, 'u-ccc') using ($3+1):8 with linespoints lc rgb colour('u-ccc') pt 7 ps 0.6 title 'u-ccc, worst set', \
     rows(9, 'u-ccc') using ($3+1):5 with linespoints lc rgb colour('u-ccc') dt 2 pt 6 ps 0.6 title 'u-ccc, mean', \
     lower_bound(x) with lines lc rgb 'black' title 'lower bound'
