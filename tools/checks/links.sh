#!/usr/bin/env bash
# Every link of a page to a file of this project leads somewhere. Fenced blocks are code and hold no links.
set -uo pipefail

status=0
# Files that git knows, or could: not what a build left behind.
while read -r page; do
  missing=()
  while read -r link; do
    case $link in
    http:* | https:* | mailto:* | '#'*) ;;
    *) [[ -e $(dirname "$page")/${link%%#*} ]] || missing+=("$link") ;;
    esac
  done < <(awk '/^```/ { fenced = !fenced } !fenced' "$page" | grep -o '](\([^()]*\))' | sed 's/^](//; s/)$//')
  if ((${#missing[@]})); then
    echo "$page: no ${missing[*]}"
    echo "case: links of $page FAILED"
    status=1
  else
    echo "case: links of $page ok"
  fi
done < <(git ls-files --cached --others --exclude-standard '*.md')
exit $status
