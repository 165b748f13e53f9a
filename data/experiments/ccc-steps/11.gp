# Figure 11: message-passing steps from small sets to broadcast, 7-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Steps of a U-CCC multicast up to broadcast, 896-node CCC (Figure 11)'
set ylabel 'steps (mean, 95 % interval)'
set key bottom right
set xrange [0:920]
plot rows(7, 'u-ccc') using ($3+1):5:6 with yerrorlines lc rgb colour('u-ccc') pt 7 ps 0.6 title 'u-ccc', \
     rows(7, masked) using ($3+1):5:6 with points lc rgb masked_colour pt 6 ps 1.1 title 'our masked order', \
     lower_bound(x) with lines lc rgb 'black' title 'lower bound'
