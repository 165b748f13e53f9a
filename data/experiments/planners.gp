# One colour for one planner, in every figure: those of data/converters/drawing.py, which report --plot draws with.
# A variant of a planner has its colour, or a shade of it, and another dash or point; the masked order of U-CCC has one of
# its own. SPDX-License-Identifier: MIT
colour(name) = \
  name eq 'lower-bound' ? '#000000' : \
  name eq 'separate' ? '#7f7f7f' : \
  name eq 'binomial' ? '#4d4d4d' : \
  name eq 'u-mesh' ? '#a6761d' : \
  name eq 'column-path' ? '#17becf' : \
  name eq 'dpm' ? '#e377c2' : \
  name eq 'shortest-path-tree' ? '#e7298a' : \
  name eq 'rpm' ? '#005f73' : \
  name eq 'rectangle' ? '#bcbd22' : \
  name eq 'steiner-tree' ? '#000000' : \
  name eq 'u-torus' ? '#a6761d' : \
  name eq 'u-ccc' ? '#1b9e77' : \
  name eq 'fixed-path' ? '#8c564b' : \
  name eq 'dual-path' ? '#1f77b4' : \
  name eq 'multi-path' ? '#2ca02c' : \
  name eq 'ocms' ? '#ff7f0e' : \
  name eq 'otms' ? '#d62728' : \
  name eq 't2w' ? '#1f77b4' : \
  name eq 'btl' ? '#d62728' : \
  name eq 'dual-arm' ? '#2ca02c' : \
  name eq 'dual-arm-short' ? '#98df8a' : \
  name eq 'dual-arm-gap' ? '#17becf' : \
  name eq 'xy-tree' ? '#9467bd' : \
  name eq 'best-unicast' ? '#4d4d4d' : \
  name eq 'mpm-ssr' ? '#ff7f0e' : \
  name eq 'mpm-ssr-largest' ? '#b35806' : \
  name eq 'mpm-ssr-ranges' ? '#e377c2' : \
  name eq 'opm' ? '#2ca02c' : '#ff00ff'
set datafile separator ','
set grid lc rgb '#dddddd'
set border 3
set tics nomirror
set bars 0.4
