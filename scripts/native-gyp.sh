#!/bin/sh
# Builds the addon with node-gyp in a copy of the tree, so that the other build is left alone, and runs its tests there.
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh
make_scratch

tar -c --exclude=./node_modules --exclude='./build*' --exclude=./dist --exclude=./out --exclude=./.git . | tar -x -C "$scratch"
ln -s "$PWD/node_modules" "$scratch/node_modules"
cd "$scratch"

# Headers that came with node spare their download.
prefix=$(dirname "$(dirname "$(node -p 'fs.realpathSync(process.execPath)')")")
[ -e "$prefix/include/node/node_api.h" ] && export npm_config_nodedir="$prefix"
JOBS=$jobs npm exec --call 'node-gyp rebuild'
# Long runs over many sessions say nothing of how the addon was built.
node node_modules/vitest/vitest.mjs run test/native --exclude '**/*.slow.test.ts'
