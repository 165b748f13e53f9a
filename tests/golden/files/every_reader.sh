#!/usr/bin/env bash
# Runs every tool that reads records on one input: each must refuse it with one line and status 2.
# SPDX-License-Identifier: MIT
while read -r tool; do
  $tool "$1" 2>"$TMPDIR/err" >"$TMPDIR/out"
  status=$?
  printf '%s: status %d, %d records, %s\n' "${tool%% *}" $status "$(grep -c . "$TMPDIR/out")" "$(sed "s/^${tool%% *}: //; s/(known: .*/(known: ...)/" "$TMPDIR/err")"
  [ "$(wc -l <"$TMPDIR/err")" = 1 ] || echo "  not one line on stderr"
  grep -q '^{"kind":"end"}$' "$TMPDIR/out" && echo "  the output looks whole"
done <<TOOLS
gen-multicast
plan-multicast separate
route-expand
simulate-wormhole
check-deadlock
report
TOOLS
