#!/bin/sh
# Runs the core's tests that use threads under ThreadSanitizer.
# usage: scripts/native-tsan.sh [GoogleTest filter]
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

filter=${1:-Concurrency.*:*Parallel*:*Threads*:*Undisturbed*:Reclaimer.*:WarmPool.*:SharedPoolTest.*:Pinned*}
build=build-tsan
need_googletest
cmake -S . -B "$build" -DROLLTAPE_BUILD_TESTS=ON -DROLLTAPE_SANITIZE=thread
cmake --build "$build" --parallel "$jobs" --target rolltape_test
TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1 ${TSAN_OPTIONS:-}" "$build/rolltape_test" \
  --gtest_brief=1 --gtest_filter="$filter"
