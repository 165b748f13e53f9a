graph [ node [ id 0 ] node [ id 1 type "host" ] node [ id 2 type "host" ]
edge [ source 1 target 0 ] edge [ source 2 target 0 ]
edge [ source 1 target 2 ] ]
