#!/usr/bin/env bash
# Compiles the kernels of this folder again and writes their PTX beside them. Needs nvcc on PATH and a
# python3 with Triton; README.md names the versions that the committed PTX comes from. Tests read what is
# committed, so none of this is needed to run them.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")"

for source in cuda/*.cu; do
  # The second line of a comment like `// nvcc: -fmad=false`.
  flags=$(sed -n 's|^// nvcc: *||p' "$source")
  # shellcheck disable=SC2086 # several flags
  nvcc -arch=sm_90 -ptx ${flags/(no flags)/} -o "${source%.cu}.ptx" "$source"
done

python3 triton/kernels.py triton
