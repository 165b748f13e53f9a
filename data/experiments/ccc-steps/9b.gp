# Figure 9(b): message-passing steps against the size, 9-D and 10-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Steps of a U-CCC multicast, 4608- and 10240-node CCC (Figure 9b)'
set ylabel 'steps (mean, 95 % interval)'
set yrange [*:11.5]
plot for [n = 9:10] rows(n, 'u-ccc') using ($3+1):5:6 with yerrorlines lc rgb colour('u-ccc') dt n-8 pt (n == 9 ? 7 : 5) ps 0.6 title sprintf('u-ccc, %d-D', n), \
     for [n = 9:10] rows(n, masked) using ($3+1):5:6 with points lc rgb masked_colour pt (n == 9 ? 6 : 4) ps 1.1 title sprintf('our masked order, %d-D', n), \
     lower_bound(x) with lines lc rgb 'black' title 'lower bound'
