#!/bin/sh
# Checks native/core and native/memory with clang-tidy, by .clang-tidy. Headers are checked with what includes them.
# usage: scripts/native-tidy.sh [files…]
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

build=build-tidy
need_clang_tool clang-tidy
# Precompiled headers are GCC's, and would hide an include that is missing.
cmake -S . -B "$build" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON > /dev/null
[ $# -gt 0 ] || set -- $(find native/core native/memory -name '*.cc')
make_scratch
if ! printf '%s\0' "$@" | xargs -0 -n 4 -P "$jobs" "$clang_tool" -p "$build" --quiet 2> "$scratch/stderr"; then
  # Without its counts of what it found in the standard library and left out.
  grep -v ' warnings generated' "$scratch/stderr" >&2 || true
  exit 1
fi
