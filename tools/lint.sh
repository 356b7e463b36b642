#!/usr/bin/env bash
# clang-format over all C++ files, and a few cheap clang-tidy checks (.clang-tidy) over those that the last
# change touched.
set -euo pipefail
cd "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")"

# clang-tidy takes 2 to 5 s a file, and 15 s where MLIR is included: those files are left out, and a change
# of everything at once is cut off here. The compiler's own warnings cover all files in any case.
readonly most_files=60

mapfile -t files < <(git ls-files '*.cc' '*.h' ':!generated' ':!third_party')
((${#files[@]})) || exit 0

status=0
if ! report=$(clang-format-19 --dry-run -Werror "${files[@]}" 2>&1); then
  echo "lint: not formatted; run clang-format-19 -i on:"
  # One line a file, though clang-format reports every line.
  unformatted=$(sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: error: .*/  \1/p' <<<"$report" | sort -u)
  echo "${unformatted:-$report}"
  status=1
fi

# The change: a merge's against its first parent, a branch's against where it left main, else the last commit.
if git rev-parse -q --verify HEAD^2 >/dev/null; then
  base=$(git rev-parse HEAD^1)
else
  base=$(git merge-base HEAD origin/main 2>/dev/null || true)
  [[ -n $base && $base != $(git rev-parse HEAD) ]] || base=$(git rev-parse -q --verify HEAD^1 || true)
fi
where=('dsl/*.cc' 'runtime/*.cc' 'compiler/verify/*.cc')
if [[ -n $base ]]; then
  mapfile -t changed < <(git diff --name-only --diff-filter=d "$base" -- "${where[@]}")
else
  mapfile -t changed < <(git ls-files "${where[@]}")
fi
((${#changed[@]})) || exit $status
mapfile -t tidied < <(grep -LE '#include "(mlir|cuda|hip)/' "${changed[@]}")
if ((${#tidied[@]} > most_files)); then
  echo "lint: clang-tidy reads the first $most_files of ${#tidied[@]} changed files"
  tidied=("${tidied[@]:0:most_files}")
fi
((${#tidied[@]})) || exit $status
printf '%s\n' "${tidied[@]}" | xargs -P "$(nproc)" -I{} \
  clang-tidy-19 --quiet {} -- -std=c++20 -I. -isystem /usr/lib/llvm-19/include 2>/dev/null || status=1
exit $status
