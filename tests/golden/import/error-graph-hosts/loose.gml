graph [ node [ id 0 ] node [ id 1 type "host" ] ]
