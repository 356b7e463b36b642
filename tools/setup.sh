#!/usr/bin/env bash
# Installs the packages of packages.txt that are missing, and says so first. Costs one dpkg-query and touches
# no network where nothing is missing. ORDO_NO_INSTALL=1 only tells what is missing.
set -euo pipefail

list=$(dirname "${BASH_SOURCE[0]}")/packages.txt
mapfile -t wanted < <(grep -v '^#' "$list")

if ! command -v dpkg-query >/dev/null; then
  echo "ordo: this is not a Debian system; the build needs what tools/packages.txt lists" >&2
  # A system set up by hand may still build: only what cannot be replaced is asked for.
  for tool in bazel clang++-19 python3; do
    command -v "$tool" >/dev/null || { echo "ordo: $tool is not installed" >&2; exit 1; }
  done
  exit 0
fi

installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p' || true)
missing=()
for package in "${wanted[@]}"; do
  [[ $'\n'$installed$'\n' == *$'\n'"$package"$'\n'* ]] || missing+=("$package")
done
((${#missing[@]})) || exit 0

elevate=()
((EUID == 0)) || elevate=(sudo)
echo "ordo: missing packages: ${missing[*]}" >&2
if [[ ${ORDO_NO_INSTALL:-} == 1 ]]; then
  echo "ordo: ORDO_NO_INSTALL=1 is set, so install them yourself:" >&2
  echo "  ${elevate[*]:+${elevate[*]} }apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
if ((EUID != 0)) && ! command -v sudo >/dev/null; then
  echo "ordo: neither root nor sudo; as root, run: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi
# Without a terminal nobody can type a password.
[[ ${#elevate[@]} == 0 || -t 0 ]] || elevate=(sudo -n)

log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo "ordo: installing them by apt-get (set ORDO_NO_INSTALL=1 to prevent this)" >&2
if ! { "${elevate[@]}" apt-get -q update &&
  "${elevate[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends "${missing[@]}"; } \
  </dev/null >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  echo "ordo: the packages could not be installed" >&2
  exit 1
fi
