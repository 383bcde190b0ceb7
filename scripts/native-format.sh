#!/bin/sh
# Formats the C++ sources with clang-format, by .clang-format.
# usage: scripts/native-format.sh [--check]
#   --check  changes nothing; fails and shows what is not formatted
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

need_clang_tool clang-format
case ${1:-} in
  "") set -- -i ;;
  --check) set -- --dry-run --Werror ;;
  *)
    echo "usage: scripts/native-format.sh [--check]" >&2
    exit 2
    ;;
esac
find native -name '*.cc' -print0 -o -name '*.h' -print0 | xargs -0 "$clang_tool" "$@"
