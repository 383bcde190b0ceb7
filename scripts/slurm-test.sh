#!/usr/bin/env bash
# Runs the tests that need a real Slurm (test/**/*.slurm.ts) with one of two nodes on this machine, started for them and
# ended after them. Needs root on Debian; where it cannot run, says why and ends with status 0.
# usage: scripts/slurm-test.sh [argument of vitest …]
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
stop() {
  scripts/slurm-cluster.sh down "$folder" || true
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

status=0
scripts/slurm-cluster.sh up "$folder" || status=$?
if [ "$status" -eq 77 ]; then
  echo "SKIPPED: the tests with Slurm cannot run here"
  exit 0
fi
[ "$status" -eq 0 ] || exit "$status"
SLURM_CONF=$folder/slurm.conf SLURM_TEST_FOLDER=$folder npx vitest run --config vitest.slurm.config.ts "$@"
