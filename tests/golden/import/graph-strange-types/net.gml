graph [ node [ id 0 type "server" ] node [ id 1 role 7 ] node [ id 2 type "x" class "router" ] node [ id 3 ] edge [ source 0 target 1 ] edge [ source 1 target 2 ] edge [ source 2 target 3 ] ]
