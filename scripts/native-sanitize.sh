#!/bin/sh
# Runs the core's tests, then the addon's, under AddressSanitizer and UndefinedBehaviorSanitizer.
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

sanitizers=address,undefined
export UBSAN_OPTIONS=print_stacktrace=1
scripts/native-test.sh build-sanitize-core "-DROLLTAPE_SANITIZE=$sanitizers"

CMAKE_BUILD_PARALLEL_LEVEL=$jobs npx cmake-js compile --silent --out build-sanitize-addon "--CDROLLTAPE_SANITIZE=$sanitizers"

# The sanitizers' run-time libraries must come before node's own allocator. Leaks are not looked for here: node and V8
# free nothing at exit.
runtime=$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)
ROLLTAPE_ADDON_PATH=$PWD/build-sanitize-addon/Release/rolltape.node \
  LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0 \
  node node_modules/vitest/vitest.mjs run test/native
