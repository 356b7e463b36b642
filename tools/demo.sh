#!/usr/bin/env bash
# `./ordo demo`: one operator from its contract to kernels for three targets and computed bits, narrated.
# Everything it writes lies in one folder, which stays for the reader to look at.
set -euo pipefail

root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
out=out/demo # ignored by git
file=contracts/nn/norm.ordo
name=rms_norm_bf16_2048
kernel=$file:$name

if [[ -t 1 ]]; then bold=$'\e[1m' dim=$'\e[2m' plain=$'\e[0m'; else bold='' dim='' plain=''; fi

say() { printf '\n%s%s%s\n' "$bold" "$1" "$plain"; }
# Shows a command, which the reader can type as it stands, then runs it, its output indented.
run() {
  local words=() word
  for word in "$@"; do
    [[ $word =~ ^[A-Za-z0-9_./:=,-]+$ ]] || word=${word@Q}
    words+=("$word")
  done
  printf '%s  $ %s%s\n' "$dim" "${words[*]}" "$plain"
  if ! "$@" | sed 's/^/    /'; then
    echo "ordo: demo: this step failed" >&2
    exit 1
  fi
}

cd "$root"
rm -rf "$out"
mkdir -p "$out"

say "1. A contract: every rounding and the shape of every sum is written down."
run sed -n '/^op rms_norm</,/^}/p' "$file"
run grep -E "^(order wide|kernel $name) " "$file"
run ./ordo check "$file"

say "2. What the kernel computes: its sum as a tree, its casts, its constants. Two kernels with one digest give the same bits."
run ./ordo audit "$kernel" --svg "$out/tree.svg"

say "3. The kernel for a CPU, an NVIDIA and an AMD GPU. (No AMD GPU has run Ordo's code yet.)"
run ./ordo build "$kernel" --target cpu,cuda.sm_90a,rocm.gfx942 -o "$out/kernels"

say "4. The build proved the GPUs' code: for every T and every input it computes the contract. Proven again, from the folder alone:"
run ./ordo verify "$out/kernels"

say "5. Its bits on an array, twice: by the contract's evaluator, and by the kernel compiled for this CPU."
run tools/npy.py random "$out/x.npy" --dtype bf16 --shape 4,2048 --seed 1
run tools/npy.py random "$out/w.npy" --dtype bf16 --shape 2048 --seed 2
run ./ordo eval "$kernel" --in "x=$out/x.npy" --in "w=$out/w.npy" --out "y=$out/y.npy"
run ./ordo eval "$kernel" --in "x=$out/x.npy" --in "w=$out/w.npy" --out "y=$out/y_cpu.npy" --on cpu
run cmp "$out/y.npy" "$out/y_cpu.npy"
echo "    The two files are equal, bit for bit."

say "6. Where everything lies, in $root: open tree.svg in a browser, manifest.json in an editor."
find "$out" -type f -printf '%10s bytes  %p\n' | sort -k3
