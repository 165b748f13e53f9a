# Lines of the quality figures: name, legend, colour and look of every planner. SPDX-License-Identifier: MIT
load from.'/planners.gp'
array names[8] = ['fixed-path', 'dual-path', 'multi-path', 'ocms', 'ocms:first-hop=free', 'otms', 'otms:first-hop=free', 'otms:first-hop=free:edge-disjoint=yes']
array titles[8] = ['fixed-path', 'dual-path', 'multi-path', 'ocms strict', 'ocms free', 'otms strict', 'otms free', 'otms free, edge-disjoint']
array bases[8] = ['fixed-path', 'dual-path', 'multi-path', 'ocms', 'ocms', 'otms', 'otms', 'otms']
array points[8] = [2, 5, 9, 7, 6, 11, 10, 12]
array dashes[8] = [1, 1, 1, 1, 2, 1, 2, 3]
