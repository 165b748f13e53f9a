graph [
  node [ id 0 label "Z&#252;rich &#34;x&#x22;" ]
  node [ id 1 label "AT&T &amp; &none; &#55296; &#128640;" ]
  edge [ source 0 target 1 ]
]
