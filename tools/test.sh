#!/usr/bin/env bash
# Runs every Bazel test and every script of tools/checks, and counts single cases. The last line is
# `N passed, N failed`. Silent otherwise, unless something fails.
#   --full   also what is tagged "full": minutes, not seconds
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
source "$root/tools/build.sh"

tags=--test_tag_filters=-full
export ORDO_FULL=0
for argument in "$@"; do
  case $argument in
  --full)
    tags=--test_tag_filters=
    ORDO_FULL=1
    ;;
  *)
    echo "ordo: test: unknown argument '$argument'; usage: ordo test [--full]" >&2
    exit 2
    ;;
  esac
done

if ! "$root/tools/setup.sh"; then
  echo "0 passed, 1 failed"
  exit 1
fi

results=$state/test
rm -rf "$results"
mkdir -p "$results"
status=0
run_bazel test "$tags" --keep_going --test_output=summary --test_summary=none \
  --build_event_json_file="$results/events.json" //... || status=$?

counted=(--events "$results/events.json" --bazel-status "$status")
for check in "$root"/tools/checks/*.sh; do
  [[ -e $check ]] || continue
  name=$(basename "$check" .sh)
  outcome=0
  (cd "$root" && bash "$check") </dev/null >"$results/$name.log" 2>&1 || outcome=$?
  counted+=(--check "$name:$outcome:$results/$name.log")
done
exec python3 "$root/tools/count_tests.py" "${counted[@]}"
