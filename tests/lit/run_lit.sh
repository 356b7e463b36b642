#!/usr/bin/env bash
# run_lit.sh FOLDER TOOL...: runs lit over FOLDER's cases; Bazel starts it in the runfiles' root.
set -euo pipefail

folder=$1
shift
export ORDO_LIT_TOOLS="$*" ORDO_LIT_ROOT=$PWD
# Bazel's runfiles lie on a read-only file system: no byte code beside lit's sources.
export PYTHONDONTWRITEBYTECODE=1
exec python3 ../llvm/build/utils/lit/lit.py --verbose --workers 2 \
  ${XML_OUTPUT_FILE:+--xunit-xml-output "$XML_OUTPUT_FILE"} "$folder"
