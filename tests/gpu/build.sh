#!/usr/bin/env bash
# Compiles the device half of the checks: build.sh OUTPUT.cubin [ARCHITECTURE]. Needs nvcc, in $NVCC, on the PATH or
# in /usr/local/cuda.
set -euo pipefail

root=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
output=$1
arch=${2:-90a}
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if [[ ! -x $nvcc ]]; then
  echo "build.sh: no nvcc: set NVCC, or install CUDA's compiler" >&2
  exit 1
fi
exec "$nvcc" -std=c++20 -gencode="arch=compute_$arch,code=sm_$arch" -cubin -I"$root" -o "$output" \
  "$root/tests/gpu/check_kernels.cu"
