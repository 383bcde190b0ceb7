#!/bin/sh
# Builds the C++ core and its tests without Node and runs them.
# usage: scripts/native-test.sh [build folder] [cmake options…]
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

build=${1:-build-native}
[ $# -gt 0 ] && shift
need_googletest
cmake -S . -B "$build" -DROLLTAPE_BUILD_TESTS=ON "$@"
cmake --build "$build" --parallel "$jobs"
ctest --test-dir "$build" --output-on-failure --parallel "$jobs"
