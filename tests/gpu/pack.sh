#!/usr/bin/env bash
# Collects in .gpu/ what the checks on a GPU machine need, so that nothing is built there: the two programs, the
# helper kernels, bundles of the kernels under test and their contracts. Then run_h200.sh runs there.
set -euo pipefail

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
source "$root/tools/build.sh"
pack=$root/.gpu
target=${TARGET:-cuda.sm_90a}
contracts=(contracts/nn/{norm,softmax,log_sum_exp,swiglu,gelu,sigmoid_gate,selected_log_prob,column_sum,norm_backward}.ordo
  contracts/random/{noise,philox}.ordo tests/gpu/edges.ordo tests/contracts/orders.ordo)
# What a run is about, where it has no time for all: CONTRACTS="contracts/nn/gelu.ordo …"
[[ -z ${CONTRACTS:-} ]] || read -ra contracts <<<"$CONTRACTS"

build_cli
run_bazel build //tests/gpu:gpu_check //tests/gpu:expect

rm -rf "$pack"
mkdir -p "$pack"/{bin,lib,bundle}
cp -L "$state/bin/tests/gpu/gpu_check" "$state/bin/tests/gpu/expect" "$pack/bin/"
# The C and C++ runtimes are everywhere, and a newer one serves; other libraries travel.
ldd "$pack"/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  { grep -vE '/(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so' || true; } |
  xargs -r cp -L -t "$pack/lib"
"$root/tests/gpu/build.sh" "$pack/check_kernels.cubin" "${target#cuda.sm_}"

# Bits are compared there, also of kernels that are not proven yet.
for contract in "${contracts[@]}"; do
  "$cli" build "$root/$contract" --root "$root/contracts" --target "$target" --no-verify \
    -o "$pack/bundle/$(basename "$contract" .ordo)"
done
(cd "$root" && cp -r --parents contracts "${contracts[@]}" "$pack/")
printf '%s\n' "${contracts[@]}" >"$pack/contracts.txt"
commit=$(git -C "$root" rev-parse HEAD)
git -C "$root" diff --quiet HEAD -- dsl compiler contracts runtime tests/gpu || commit+=" and changes not committed"
echo "$commit" >"$pack/commit"
echo "$target" >"$pack/target"

size=$(du -sm "$pack" | cut -f1)
echo "$pack: $size MiB of commit $commit"
((size < 60)) || { echo "pack.sh: more than 60 MiB" >&2 && exit 1; }
