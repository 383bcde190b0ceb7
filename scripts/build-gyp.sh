#!/bin/sh
# Builds the addon with node-gyp. Headers that came with node spare their download.
set -eu
cd "$(dirname "$0")/.."
prefix=$(dirname "$(dirname "$(node -p 'fs.realpathSync(process.execPath)')")")
[ -e "$prefix/include/node/node_api.h" ] && export npm_config_nodedir="$prefix"
exec npm exec --call 'node-gyp rebuild'
