graph [
  node [ id 0 label "s0" role "Switch" ]
  node [ id 1 label "s1" type "router" ]
  node [ id 2 label "h0" class "host" type [ a 1 ] ]
  node [ id 3 label "h1" type "Host" ]
  edge [ source 0 target 1 ] edge [ source 2 target 0 ] edge [ source 3 target 1 ]
]
