Creator "a program [1]"
Version 1
graph [
  node [ id 1 graphics [ x 0.5 y -1.5 fill [ colour "#ff0000" ] ] ]
  node [ id 2 ]
  edge [ source 1 target 2 ]
]
viewport [ zoom 2 node [ id 3 ] ]
comment "edge [ source 1 target 3 ]"
