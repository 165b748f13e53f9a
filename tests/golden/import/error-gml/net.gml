# a triangle with a tail
graph [
  directed 0
  Note "two
lines ] ["
  node [ id 4 label "New York" Latitude 40.7 ]
  node [ id 0 label "Rome" graphics [ x 1 y [ z 2 ] ] ]
  node [ id 9 ]
  edge [ source 4 target 5 LinkLabel "10 Gbps" ]
  edge [ source 0 target 9 ] edge [ source 9 target 0 ]
]
