#!/usr/bin/env bash
# Runs every tool that reads records on one input: each must refuse it with one line and status 2. Sixty cases run this, and
# a process takes as long to start as a tool to refuse, so bash does the rest itself.
# SPDX-License-Identifier: MIT
while read -r tool; do
  $tool "$1" 2>"$TMPDIR/err" >"$TMPDIR/out"
  status=$?
  mapfile -t said <"$TMPDIR/err"
  mapfile -t records <"$TMPDIR/out"
  error=${said[0]#"${tool%% *}: "}
  [[ $error != *"(known: "* ]] || error="${error%%"(known: "*}(known: ...)"
  printf '%s: status %d, %d records, %s\n' "${tool%% *}" $status ${#records[@]} "$error"
  [ ${#said[@]} = 1 ] || echo "  not one line on stderr"
  [[ " ${records[*]} " = *' {"kind":"end"} '* ]] && echo "  the output looks whole"
done <<TOOLS
gen-multicast
plan-multicast separate
route-expand
simulate-wormhole
check-deadlock
report
TOOLS
