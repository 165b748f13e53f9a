graph [ node [ id 1 type "host" ] ]
