graph [
  node [ id 0 name "core" ]
  node [ id 1 name "e-1" label "edge" ]
  node [ id 2 name [ first "x" ] ]
  edge [ source 0 target 1 ]
]
