#!/bin/sh
# Runs the core's tests, then the addon's, under AddressSanitizer and UndefinedBehaviorSanitizer.
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

build=build-sanitize
need_googletest
npx cmake-js compile --silent --parallel "$jobs" --out "$build" \
  --CDROLLTAPE_BUILD_TESTS=ON --CDROLLTAPE_SANITIZE=address,undefined
export UBSAN_OPTIONS=print_stacktrace=1
ctest --test-dir "$build" --output-on-failure --parallel "$jobs"

# The sanitizers' run-time libraries must come before node's own allocator. Leaks are looked for where the process ends
# by itself, which vitest's workers do not. The quarantine of freed memory is kept small for the tests that watch how
# much memory the process has. Those of scale and of thousands of cycles take minutes here and add nothing.
addon=$PWD/$build/Release/rolltape.node
runtime=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)
ROLLTAPE_ADDON_PATH=$addon LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=64 \
  node node_modules/vitest/vitest.mjs run test/native --exclude '**/*.slow.test.ts'
LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=1 node scripts/native-leaks.mjs "$addon"
