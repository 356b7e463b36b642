#!/usr/bin/env bash
# The proof run of the math library: every function over all 2^32 inputs, by the code that `ordo build` makes of it.
# For a kernel of the f32 tier or a composition it measures the worst error instead.
#
#   tests/math/sweep.sh [KERNEL...]        here; a run that was stopped goes on where it was
#   tests/math/sweep.sh --pack [KERNEL...] collects in .gpu/math what a GPU machine needs, for its run.sh
#
# KERNEL: exp_rounded, exp_f32, silu_composed, …; all of them where none is named.
# SWEEP_FLAGS: more options for tests/math/sweep, such as "--stride 64" for a quick look.
set -euo pipefail

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
source "$root/tools/build.sh"
pack=
[[ ${1:-} == --pack ]] && pack=$root/.gpu/math && shift
work=${pack:-$state/math}

build_cli
run_bazel build //tests/math:sweep ${pack:+//tests/math:device_sweep //tests/math:device_time}
mkdir -p "$work/kernels"
export ORDO_CONTRACTS=$root/contracts
for contract in rounded apply composed; do
  file=$root/tests/contracts/$contract.ordo
  mapfile -t kernels < <(sed -n 's/^kernel \([a-z0-9_]*\) .*/\1/p' "$file")
  chosen=()
  for kernel in "${kernels[@]}"; do
    [[ $# -gt 0 && " $* " != *" $kernel "* ]] || chosen+=("$kernel")
  done
  [[ ${#chosen[@]} -gt 0 ]] || continue
  "$cli" build "$file" --target "cpu${pack:+,cuda.sm_90a}" --no-verify -o "$work/bundle/$contract" "${chosen[@]/#/--kernel=}"
  for kernel in "${chosen[@]}"; do
    ld.lld-19 -shared -o "$work/kernels/$kernel.so" "$work/bundle/$contract/$kernel.cpu.o"
    [[ -n $pack ]] ||
      # shellcheck disable=SC2086
      "$state/bin/tests/math/sweep" "${kernel%_*}" "$work/kernels/$kernel.so" "$kernel" --state "$work/$kernel.sweep" \
        ${SWEEP_FLAGS:-} || [[ $kernel != *_rounded ]] || failed=1
  done
done
[[ -n $pack ]] || exit "${failed:-0}"

mkdir -p "$pack"/{bin,lib}
cp -fL "$state"/bin/tests/math/{sweep,device_sweep,device_time} "$pack/bin/"
"$cli" build "$root/tests/contracts/throughput.ordo" --target cuda.sm_90a --no-verify -o "$pack/throughput"
"${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}" -std=c++17 -O3 -arch=sm_90a -cubin \
  -o "$pack/throughput/reference.cubin" "$root/tests/math/reference.cu"
# The C and C++ runtimes are everywhere, and a newer one serves; other libraries travel.
ldd "$pack"/bin/* | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
  { grep -vE '/(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so' || true; } |
  xargs -r cp -fL -t "$pack/lib"
cp "$root/tests/math/run.sh" "$pack/"
echo "$pack: $(du -sm "$pack" | cut -f1) MiB; there: run.sh"
