#!/bin/sh
# Builds the libFuzzer targets under AddressSanitizer and UndefinedBehaviorSanitizer and runs each for a while, from the
# inputs of native/fuzz/corpus and those that earlier runs found. An input that fails is kept in build-fuzz/found.
# usage: scripts/native-fuzz.sh [seconds per target [target…]], for example 1800 reply_fuzz
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

seconds=${1:-20}
[ $# -eq 0 ] || shift
targets=$*
[ -n "$targets" ] || targets=$(basename -a -s .cc native/fuzz/*_fuzz.cc)
build=build-fuzz
need_clang
CC=$clang CXX=$clangxx cmake -S . -B "$build" -DROLLTAPE_BUILD_FUZZ=ON \
  -DROLLTAPE_SANITIZE=fuzzer-no-link,address,undefined
cmake --build "$build" --parallel "$jobs"

mkdir -p "$build/found"
export UBSAN_OPTIONS=print_stacktrace=1
for target in $targets; do
  dictionary=native/fuzz/${target%_fuzz}.dict
  corpus=$build/corpus/$target
  log=$build/found/$target.log
  mkdir -p "$corpus"
  set -- -max_total_time="$seconds" -max_len=4096 -timeout=20 -print_final_stats=1 \
    -artifact_prefix="$build/found/$target-"
  [ ! -e "$dictionary" ] || set -- "$@" -dict="$dictionary"
  if ! "$build/$target" "$@" "$corpus" "native/fuzz/corpus/${target%_fuzz}" > "$log" 2>&1; then
    tail -n 60 "$log"
    echo "$target: failed; the input is in $build/found" >&2
    exit 1
  fi
  echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "$log") inputs in $seconds s"
done
