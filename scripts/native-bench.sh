#!/bin/sh
# Builds the core's benchmarks without Node and runs them on one processor.
# usage: scripts/native-bench.sh [google-benchmark options…], as --benchmark_filter=pack
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

build=build-bench
need_google_benchmark
cmake -S . -B "$build" -DROLLTAPE_BUILD_BENCH=ON > /dev/null
cmake --build "$build" --parallel "$jobs" >> /dev/null
pin=
command -v taskset > /dev/null && pin="taskset -c $(($(nproc) - 1))"
$pin "$build/rolltape_bench" "$@"
