# Latency of a multicast alone in the network, headers counted, for two lengths. SPDX-License-Identifier: MIT
load from.'/chips/lines.gp'
set terminal svg size 1280,660 dynamic font 'sans,13' background '#ffffff'
set multiplot layout 1,2 margins 0.075,0.985,0.29,0.79 spacing 0.1 title 'Zero-load latency to the last destination, 16×16 mesh, headers in 64-bit flits' font ',15'
set logscale y
set autoscale yfix
set ylabel 'cycles (mean, 95 % interval)'
do for [l in '5 64'] {
  set title heading(l.' flits and headers', l eq '5' ? caption_latency_5 : caption_latency_64)
  if (l eq '5') { set key at screen 0.5,0.02 center bottom maxrows 4 samplen 3 } else { unset key }
  plot for [i = 1:scheme_count] rows(i, l + 0) using 3:17:18 with yerrorlines lc rgb colour(base[i]) dt stroke[i] pt mark[i] ps 0.7 title legend[i]
}
unset multiplot
