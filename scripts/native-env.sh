# Sourced by the native-*.sh scripts.

jobs=${ROLLTAPE_JOBS:-2}

# usage: need_header <header> <Debian package> <name>
# What has the header, from the distribution where it is missing and we may install it.
need_header() {
  [ -e "/usr/include/$1" ] && return
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo "$3 is missing: install it (Debian: apt-get install $2)" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq "$2"
}

need_googletest() {
  [ -n "${GTest_ROOT:-}${GTEST_ROOT:-}" ] || need_header gtest/gtest.h libgtest-dev GoogleTest
}

need_google_benchmark() {
  [ -n "${benchmark_ROOT:-}" ] || need_header benchmark/benchmark.h libbenchmark-dev google-benchmark
}

# A folder that goes away with the script.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT INT TERM
}
