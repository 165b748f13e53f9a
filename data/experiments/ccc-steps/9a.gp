# Figure 9(a): blocked messages of a multicast against its size, 9-D and 10-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Link contention of a U-CCC multicast, 4608- and 10240-node CCC (Figure 9a)'
set ylabel 'blocked messages (mean, 95 % interval)'
set yrange [-0.3:*]
plot for [n = 9:10] rows(n, 'u-ccc') using ($3+1):13:14 with yerrorlines lc rgb colour('u-ccc') dt n-8 pt (n == 9 ? 7 : 5) ps 0.6 title sprintf('u-ccc, %d-D', n), \
     for [n = 9:10] rows(n, masked) using ($3+1):13:14 with yerrorlines lc rgb masked_colour dt n-8 pt (n == 9 ? 6 : 4) ps 0.8 title sprintf('our masked order, %d-D', n)
