#!/usr/bin/env bash
# `./ordo demo`: one operator from its contract to proven kernels and computed bits, narrated. Everything it
# writes lies in one folder, which stays for the reader to look at.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
out=out/demo # ignored by git
file=contracts/nn/norm.ordo
kernel=${1:-$file:rms_norm}

if [[ -t 1 ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# Shows a command, which the reader can type as it stands, then runs it.
run() {
  printf '%s  $ %s%s\n' "$dim" "$*" "$plain"
  "$@" || { echo "ordo: demo: this step failed" >&2; exit 1; }
}

cd "$root"
rm -rf "$out"
mkdir -p "$out"

say "1. A contract: every rounding and the shape of every sum is written down."
run sed -n '1,30p' "$file"
run ./ordo check "$file"

say "2. Its sum as a tree. Two kernels with this digest give the same bits."
run ./ordo audit "$kernel" --svg "$out/tree.svg"

say "3. Kernels for a CPU, an NVIDIA and an AMD GPU, each proven from its own machine code or PTX."
run ./ordo build "$file" --target cpu,cuda.sm_90a,rocm.gfx942 -o "$out/kernels"

say "4. The bits, twice: by the contract's evaluator, and by the kernel built for this CPU."
run tools/npy.py random "$out/x.npy" --dtype bf16 --shape 4,2048 --seed 1
run tools/npy.py random "$out/w.npy" --dtype bf16 --shape 2048 --seed 2
run ./ordo eval "$kernel" --in "x=$out/x.npy" --in "w=$out/w.npy" --out "y=$out/y.npy"
run ./ordo eval "$kernel" --in "x=$out/x.npy" --in "w=$out/w.npy" --out "y=$out/y_cpu.npy" --on cpu
run tools/npy.py show "$out/y.npy" --dtype bf16
run cmp "$out/y.npy" "$out/y_cpu.npy"
echo "   The two files are equal, bit for bit."

say "What was written, in $root"
find "$out" -type f -printf '   %8s bytes  %p\n' | sort -k3
