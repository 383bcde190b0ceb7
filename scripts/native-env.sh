# Sourced by the native-*.sh scripts.

jobs=${ROLLTAPE_JOBS:-2}

# GoogleTest, from the distribution where it is missing and we may install it.
need_googletest() {
  [ -e /usr/include/gtest/gtest.h ] || [ -n "${GTest_ROOT:-}${GTEST_ROOT:-}" ] && return
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get > /dev/null; then
    echo "GoogleTest is missing: install it (Debian: apt-get install libgtest-dev)" >&2
    exit 1
  fi
  apt-get update -qq
  apt-get install -y -qq libgtest-dev
}

# A folder that goes away with the script.
make_scratch() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT INT TERM
}
