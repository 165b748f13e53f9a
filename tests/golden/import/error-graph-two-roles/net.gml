graph [ node [ id 0 ] node [ id 1 type "host" class "router" ] edge [ source 0 target 1 ] ]
