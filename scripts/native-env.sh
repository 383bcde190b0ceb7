# Sourced by the native-*.sh scripts.

jobs=${ROLLTAPE_JOBS:-2}

# usage: install_packages <name> <Debian package>…
# Installs what is missing from the distribution, as root; otherwise says how.
install_packages() {
  missing=$1
  shift
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo "$missing is missing: install it (Debian: apt-get install $*)" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "$@"
}

# usage: need_header <header> <Debian package> <name>
need_header() {
  [ -e "/usr/include/$1" ] || install_packages "$3" "$2"
}

need_googletest() {
  [ -n "${GTest_ROOT:-}${GTEST_ROOT:-}" ] || need_header gtest/gtest.h libgtest-dev GoogleTest
}

need_google_benchmark() {
  [ -n "${benchmark_ROOT:-}" ] || need_header benchmark/benchmark.h libbenchmark-dev google-benchmark
}

# Clang with libFuzzer, likewise. Sets clang and clangxx.
need_clang() {
  find_clang && return
  install_packages "Clang with its sanitizers" clang-14 libclang-rt-14-dev
  find_clang
}

# A Clang that has the library that fuzz targets are linked with.
find_clang() {
  for version in "" -14 -15 -16 -17 -18 -19 -20; do
    clang=clang$version
    clangxx=clang++$version
    command -v "$clangxx" > /dev/null || continue
    find "$("$clangxx" -print-resource-dir)" -name 'libclang_rt.fuzzer*.a' 2> /dev/null | grep -q . && return
  done
  return 1
}

# A folder that goes away with the script.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT INT TERM
}

# usage: need_clang_tool <clang-format | clang-tidy>
# Sets clang_tool. Other versions format and warn differently, so only one is accepted.
need_clang_tool() {
  for clang_tool in "$1-14" "$1"; do
    case $("$clang_tool" --version 2> /dev/null) in *"version 14."*) return ;; esac
  done
  echo "$1 14 is missing: install it (Debian: apt-get install $1-14)" >&2
  exit 1
}
