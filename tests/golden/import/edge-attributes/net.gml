graph [
  multigraph 1
  node [ id 0 label "a" ]
  node [ id 1 label "b" ]
  node [ id 2 label "c" ]
  edge [ source 0 target 1 key 0 hop_cycles 3 hop_cycles 3 ports "1,2" width 4 speed "EDR" latency 30 color "red" ]
  edge [ source 1 target 2 key 0 hop_cycles "1,2" latency 10 weight 0.5 graphics [ width 2.0 ] ]
  edge [ source 2 target 0 key 0 speed "HDR" ]
]
