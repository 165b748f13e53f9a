# Figure 8(a): blocked messages of a multicast against its size, 7-D and 8-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Link contention of a U-CCC multicast, 896- and 2048-node CCC (Figure 8a)'
set ylabel 'blocked messages (mean, 95 % interval)'
set yrange [-0.03:*]
plot for [n = 7:8] rows(n, 'u-ccc') using ($3+1):13:14 with yerrorlines lc rgb colour('u-ccc') dt n-6 pt (n == 7 ? 7 : 5) ps 0.6 title sprintf('u-ccc, %d-D', n), \
     for [n = 7:8] rows(n, masked) using ($3+1):13:14 with yerrorlines lc rgb masked_colour dt n-6 pt (n == 7 ? 6 : 4) ps 0.8 title sprintf('our masked order, %d-D', n)
