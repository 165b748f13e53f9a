# Figure 9(a): blocked messages of a multicast against its size, 9-D and 10-D. SPDX-License-Identifier: MIT
load here.'/common.gp'
set title 'Link contention of a U-CCC multicast, 4608- and 10240-node CCC (Figure 9a)'
set ylabel 'blocked messages (mean, 95 % interval)'
set yrange [-0.3:*]
plot for [n = 9:10] rows(n, 'u-ccc') using ($3+1):13:14 with yerrorlines lc (n-8) pt 7 ps 0.6 title sprintf('u-ccc, %d-D', n), \
     for [n = 9:10] rows(n, masked) using ($3+1):13:14 with yerrorlines lc (n-8) pt 6 ps 0.8 dt 2 title sprintf('our masked order, %d-D', n)
