# Lines of the BTL figures: name, legend, colour of every planner. SPDX-License-Identifier: MIT
relayed = 'source-column=relayed'
array names[7] = ['t2w:'.relayed, 'btl:'.relayed, 'dual-arm:'.relayed, 'dual-arm:cut=short:'.relayed, 'dual-arm:cut=gap:'.relayed, 'u-torus', 'xy-tree']
array titles[7] = ['T2W (our reconstruction)', 'BTL', 'dual-arm slack', 'dual-arm short', 'dual-arm gap', 'u-torus (unicasts)', 'xy-tree (one phase, datelines)']
load 'data/experiments/planners.gp'
array colours[7] = [colour('t2w'), colour('btl'), colour('dual-arm'), colour('dual-arm-short'), colour('dual-arm-gap'), colour('u-torus'), colour('xy-tree')]
array points[7] = [5, 7, 9, 8, 11, 2, 12]
# What lies on others at the paper's model is drawn first, with wider lines and larger points; the paper's schemes last.
order = '7 6 4 3 5 1 2'
array sizes[7] = [0.6, 0.6, 0.6, 1.3, 0.6, 0.6, 1.4]
array widths[7] = [1, 1, 1, 3, 1, 1, 3.5]
# Rows of planner i in a CSV of the report: 2 nodes, 3 destinations, 6 mean latency, 10 mean traffic.
rows(file, i) = sprintf("< awk -F, '$1 == \"%s\"' %s", names[i], file)
