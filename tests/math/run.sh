#!/usr/bin/env bash
# On a GPU machine, beside what `sweep.sh --pack` collected: the speed of the functions on its GPU, the sweeps on its
# CPU, and the hashes of all outputs on its GPU, which must be the same. Some minutes on 16 cores. Results go to $OUT, or to ./out; with the folder of
# an earlier run as $OUT, sweeps go on where they were. HARD=1: each starts anew, and writes its hardest inputs too.
set -uo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
out=${OUT:-$here/out}
mkdir -p "$out"
chmod +x "$here"/bin/*
export LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
status=0

has_gpu=$(command -v nvidia-smi)
if [[ -n $has_gpu ]]; then
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$out/device.txt"
  "$here/bin/device_time" "$here/throughput" "$here/throughput/reference.cubin" | tee "$out/throughput.md"
  for bundle in "$here"/bundle/*/; do
    "$here/bin/device_sweep" "$bundle" || status=1
  done >"$out/device.log" 2>&1 &
fi
# The correctly rounded functions first.
for library in "$here"/kernels/*_rounded.so "$here"/kernels/*_f32.so "$here"/kernels/*_composed.so; do
  [[ -e $library ]] || continue
  kernel=$(basename "$library" .so)
  keep=(--state "$out/$kernel.sweep")
  [[ $kernel != *_rounded || -z ${HARD:-} ]] || keep=(--hard "$out/$kernel.hard")
  [[ $kernel == *_rounded ]] || keep+=(--random 100000 --show 0)
  "$here/bin/sweep" "${kernel%_*}" "$library" "$kernel" "${keep[@]}" >"$out/$kernel.log" 2>&1 ||
    [[ $kernel != *_rounded ]] || status=1
  cat "$out/$kernel.log"
done
if [[ -n $has_gpu ]]; then
  wait
  cat "$out/device.log"
  while read -r kernel hash; do
    grep -q "hash $hash\$" "$out/$kernel.log" || { echo "$kernel: the GPU's outputs differ" && status=1; }
  done < <(sed -n 's/^\([a-z0-9_]*\): .* hash \([0-9a-f]*\) .*/\1 \2/p' "$out/device.log")
fi
echo "exit code $status"
exit $status
