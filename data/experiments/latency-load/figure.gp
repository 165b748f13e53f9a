# Latency against load; table = rate, planner, outcome, records, offered, accepted, latency, interval, ...
# of the runs that did not saturate. SPDX-License-Identifier: MIT
set terminal svg size 900,600 dynamic font 'sans,13' background '#ffffff'
set datafile separator ','
set title 'Multicasts to 10 destinations on the 16x16 mesh, 32 flits, 4-flit buffers, all-port'
set xlabel 'offered load (flits of multicasts per node and cycle)'
set ylabel 'mean latency to the last destination (cycles)'
set xrange [0:0.0105]
set yrange [0:800]
set grid lc rgb '#dddddd'
set key top left samplen 3
planners = system("cut -d, -f2 '".table."' | sort -u")
colours = '#1b6ca8 #d1495b #66a182 #edae49 #b5179e #8d6a4f #00798c #777777 #222222'
markers = '7 5 9 13 11 4 6 8 12'
rows(i) = "< awk -F, -v p='".word(planners, i)."' '$2 == p' '".table."'"
set pointintervalbox 0
plot for [i = 1:words(planners)] rows(i) using 1:7:8 with yerrorbars pt 0 lc rgb word(colours, i) notitle, \
  for [i = 1:words(planners)] rows(i) using 1:7 with linespoints lw 1.5 pt int(word(markers, i)) ps 0.6 \
    lc rgb word(colours, i) title word(planners, i)
