#!/bin/sh
# Compiles the addon's sources with clang and libc++, the compiler and the C++ library of macOS. Nothing is linked or run. Differences in
# the system's own headers show only on a Mac.
set -eu
cd "$(dirname "$0")/.."
. scripts/native-env.sh

# Apple's libc++ is about two versions behind; 16 lacks std::jthread and std::from_chars of a double, as Apple's does.
version=16
if ! command -v "clang++-$version" > /dev/null || [ ! -d "/usr/lib/llvm-$version/include/c++/v1" ]; then
  install_packages "Clang with libc++" "clang-$version" "libc++-$version-dev" "libc++abi-$version-dev" > /dev/null
fi
prefix=$(node -p 'path.dirname(path.dirname(fs.realpathSync(process.execPath)))')
headers=$(find "$prefix/include/node" "$HOME/.cmake-js" /usr/include/node -maxdepth 6 -name node_api.h 2>/dev/null | head -n 1)
if [ -z "$headers" ]; then
  echo "no headers of Node were found; run npm ci" >&2
  exit 1
fi

node native/sources.mjs | xargs -P "$jobs" -I '{}' sh -c '
  "$0" -std=c++20 -stdlib=libc++ -Wall -Wextra -Werror -fsyntax-only -DNAPI_CPP_EXCEPTIONS -isystem "$1" -isystem node_modules/node-addon-api "$2" ||
    { echo "$2 does not compile" >&2; exit 1; }
' "clang++-$version" "$(dirname "$headers")" '{}'
