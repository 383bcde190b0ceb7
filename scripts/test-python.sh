#!/bin/sh
# Tests the Python package with Debian's Python, and builds its wheel without the network.
# usage: scripts/test-python.sh [pytest options…]
# PYTHON names another interpreter, such as one of a virtual environment with PyTorch; nothing is installed for it then.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-/usr/bin/python3}
packages="python3-pytest python3-httpx python3-numpy python3-setuptools python3-wheel python3-build python3-venv"

imports() { "$python" -c 'import build, httpx, numpy, pytest, setuptools, wheel' 2>/dev/null; }

if ! imports && [ -z "${PYTHON:-}" ] && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  # shellcheck disable=SC2086
  apt-get install -y -qq --no-install-recommends $packages >/dev/null 2>&1 ||
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends $packages; }
fi
if ! imports; then
  echo "$python lacks modules: as root, run apt-get install $packages" >&2
  echo "or set PYTHON to an interpreter with pytest, httpx, numpy, setuptools, wheel and build" >&2
  exit 1
fi
[ -f dist/cli/main.js ] || npm run build

export PYTHONDONTWRITEBYTECODE=1
"$python" -m pytest python -p no:cacheprovider "$@"

# The wheel is built from a copy, because setuptools writes beside the sources.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R python "$work/source"
"$python" -m build --wheel --no-isolation --outdir "$work/wheel" "$work/source" >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }
"$python" -m zipfile -e "$work"/wheel/rolltape-*.whl "$work/installed"
for file in python/src/rolltape/py.typed $(find python/src -name '*.py'); do
  cmp "$file" "$work/installed/${file#python/src/}"
done
(cd "$work" && PYTHONPATH="$work/installed" "$python" -c 'from rolltape import *')
echo "wheel: $(basename "$work"/wheel/*.whl)"
