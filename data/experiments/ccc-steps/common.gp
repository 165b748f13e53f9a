# What the figures share: look and the rows of a CSV of the report. SPDX-License-Identifier: MIT
# Columns: 1 topology, 2 planner, 3 destinations (the source not counted), 4 records, then of each metric its
# mean, half width of the 95 % interval, min, max.
set terminal svg size 760,520 dynamic font 'sans,13' background '#ffffff'
load here.'/../planners.gp'
masked_colour = '#7570b3'
set key top left samplen 2
set xlabel 'multicast set size (the source included)'
set offsets graph 0.03, graph 0.03, 0, 0
rows(n, planner) = sprintf("< awk -F, '$1 == \"ccc-%d\" && $2 == \"%s\"' %s | sort -t, -k3n", n, planner, csv)
masked = 'u-ccc:order=masked'
lower_bound(nodes) = ceil(log(nodes)/log(2) - 1e-9)
set samples 2000
