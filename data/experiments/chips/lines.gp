# Lines of the figures of today's chips: path stars dashed, trees solid, unicasts and relays dotted.
# SPDX-License-Identifier: MIT
load from.'/planners.gp'
load dir.'/captions.gp'
scheme_count = 14
array scheme[14] = ['separate', 'u-mesh', 'dpm', 'fixed-path', 'dual-path', 'multi-path', 'column-path', 'ocms:first-hop=free', 'otms:first-hop=free', 'xy-tree', 'shortest-path-tree', 'rpm', 'rectangle', 'steiner-tree']
array legend[14] = ['separate unicasts', 'u-mesh', 'dpm', 'fixed-path', 'dual-path', 'multi-path', 'column-path', 'ocms free', 'otms free', 'xy-tree', 'shortest-path tree', 'rpm', 'rectangle', 'Steiner (not deployable)']
array base[14] = ['separate', 'u-mesh', 'dpm', 'fixed-path', 'dual-path', 'multi-path', 'column-path', 'ocms', 'otms', 'xy-tree', 'shortest-path-tree', 'rpm', 'rectangle', 'steiner-tree']
array mark[14] = [5, 11, 13, 12, 4, 8, 10, 6, 12, 15, 7, 9, 5, 3]
array stroke[14] = [3, 3, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 4]
rows(i, l) = sprintf("< awk -F, '$1 == %d && $2 == \"%s\"' %s/alone.csv | sort -t, -k3n", l, scheme[i], dir)
set logscale x 2
set xrange [3.6:142]
set xlabel 'destinations'
set autoscale y
set format y '%g'
set ytics (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05, 0.1, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000)
# A panel's title and, small below it, what captions.gp says of it.
heading(text, note) = sprintf("%s\n%s", text, note)
