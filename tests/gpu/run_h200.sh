#!/usr/bin/env bash
# Everything that is said about one GPU, in one run: every kernel's bits, a memory checker, speed. Runs on the
# GPU machine over what pack.sh collected; python3 there has torch. Takes some minutes.
#
#   tests/gpu/run_h200.sh [OUT]     OUT: a folder, or $OUT; gets h200.md, h200.json and the logs
#   SKIP="sanitizer bench"          leaves steps out
set -uo pipefail

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
here=$root/tests/gpu
export pack=$root/.gpu
export out=${1:-${OUT:-$pack/out}}
export work
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/cases"
status=0
target=$(cat "$pack/target")
bundles=("$pack"/bundle/*/)
chmod +x "$pack"/bin/*

ours() { LD_LIBRARY_PATH="$pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" "$@"; }
check() { ours timeout 200 "$pack/bin/gpu_check" --cases "$work/cases" --helpers "$pack/check_kernels.cubin" --target "$target" "$@"; }
expect() { # CONTRACT KERNEL
  ours timeout 240 "$pack/bin/expect" "$pack/$1" "$2" --out "$work/cases" --root "$pack/contracts" ||
    echo "expect failed on $2"
}
export -f ours expect
report() {
  python3 "$here/report.py" --commit "$(cat "$pack/commit")" --command "tests/gpu/run_h200.sh" \
    --sanitizer "$work/sanitized" --out "$out" || status=1
}

skips() { [[ " ${SKIP:-} " == *" $1 "* ]]; }
step() { echo "== $1 (at $SECONDS s)"; }

nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader
ours ldd "$pack"/bin/* | grep 'not found' && status=1

step "expected bits, $(nproc) at a time"
while read -r contract; do
  ours "$pack/bin/expect" --list "$pack/$contract" --root "$pack/contracts" | sed "s|^|$contract |"
done <"$pack/contracts.txt" >"$work/kernels"
# The widest rows take the longest, so they start first.
{ grep -E '15(1936|2064)' "$work/kernels"; grep -vE '15(1936|2064)' "$work/kernels"; } |
  xargs -P "$(nproc)" -L 1 bash -c 'expect "$0" "$1"' >"$out/expect.log" 2>&1
tail -n 5 "$out/expect.log"
echo "$(find "$work/cases" -name '*.case' | wc -l) cases of $(wc -l <"$work/kernels") kernels"

step "bits"
check --out "$out/check.json" "${bundles[@]}" >"$out/check.log" 2>&1 || status=1
grep -A 9 '^FAIL' "$out/check.log" | head -n 60
tail -n 1 "$out/check.log"

if ! skips bench; then
  step "speed"
  if compgen -G "$root/.whl/*.whl" >/dev/null; then
    python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target "$work/site" \
      "$root"/.whl/*.whl && export PYTHONPATH=$work/site
  fi
  PYTHONUNBUFFERED=1 timeout 300 python3 "$here/bench.py" "${bundles[@]}" --target "$target" \
    --helpers "$pack/check_kernels.cubin" --out "$out/bench.json" >"$out/bench.log" 2>&1 || status=1
  cat "$out/bench.log"
fi

report # what comes next may run out of time
if ! skips sanitizer && command -v compute-sanitizer >/dev/null; then
  step "memory checker and race checker"
  for tool in memcheck racecheck; do
    for kernel in rms_norm_bf16_3584 softmax_bf16_2048; do
      printf '%s %s: ' "$tool" "$kernel"
      LD_LIBRARY_PATH="$pack/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" timeout 40 \
        compute-sanitizer --tool "$tool" --error-exitcode 9 "$pack/bin/gpu_check" --quick --only "$kernel" \
        --cases "$work/cases" --helpers "$pack/check_kernels.cubin" --target "$target" "${bundles[@]}" \
        >"$work/sanitizer" 2>&1
      code=$?
      case $code in
      0) echo "clean" ;;
      9) echo "ERRORS" && status=1 ;;
      124) echo "ran out of time" ;;
      *) echo "did not run (exit code $code)" ;;
      esac
      [[ $code == 0 ]] || { echo "# $tool $kernel" && tail -n 40 "$work/sanitizer"; } >>"$out/sanitizer.log"
    done
  done | tee "$work/sanitized"
  grep -q ERRORS "$work/sanitized" && status=1
  [[ -s $out/sanitizer.log ]] && tail -n 12 "$out/sanitizer.log"
fi

report
step "done, exit code $status"
exit $status
