# Figure 8(b): message-passing steps against the size, 7-D and 8-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Steps of a U-CCC multicast, 896- and 2048-node CCC (Figure 8b)'
set ylabel 'steps (mean, 95 % interval)'
plot for [n = 7:8] rows(n, 'u-ccc') using ($3+1):5:6 with yerrorlines lc rgb colour('u-ccc') dt n-6 pt (n == 7 ? 7 : 5) ps 0.6 title sprintf('u-ccc, %d-D', n), \
     for [n = 7:8] rows(n, masked) using ($3+1):5:6 with points lc rgb masked_colour pt (n == 7 ? 6 : 4) ps 1.1 title sprintf('our masked order, %d-D', n), \
     lower_bound(x) with lines lc rgb 'black' title 'lower bound'
