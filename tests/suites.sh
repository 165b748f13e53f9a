# What the suites share: the tools of a build, what they count, and the line that they end with. Sourced, at their head:
#   . "$(dirname "$0")/../suites.sh"
# SPDX-License-Identifier: MIT
#
# Of the suite's argument, a build (default: build), $build is the whole path; its tools are first on PATH. The suite
# goes on in the project's folder; $work is an empty one for its files, removed in the end.
set -uo pipefail
export LC_ALL=C
build=$(cd "${1:-$(dirname "${BASH_SOURCE[0]}")/../build}" 2>/dev/null && pwd) && [ -x "$build/bin/gen-topology" ] || {
  echo "$(basename "$0"): no build with tools in '${1:-build}'" >&2
  exit 2
}
export PATH=$build/bin:$PATH
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

count() { # NAME: counts the command before it
  if [ $? = 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "FAILED $1"
    return 1
  fi
}

check() { # NAME WANTED GOT
  [ "$2" = "$3" ]
  count "$1: wanted '$2', got '$3'"
}

succeeds() { # NAME COMMAND...: shows the command's output if it fails
  local name=$1
  shift
  "$@" >"$work/.output" 2>&1
  count "$name" || tail -n 20 "$work/.output"
}

close() { # the last command of a suite
  echo "$passed passed, $failed failed"
  [ $failed = 0 ]
}
