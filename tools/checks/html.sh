#!/usr/bin/env bash
# The pages of `ordo audit --html` in a real browser: they are drawn in light, dark and narrow, log no error, ask
# nothing of the network, and show what they should. Chromium is hundreds of megabytes and so not among the packages
# of tools/packages.txt: without it only the pages' text is checked, except under ORDO_FULL=1, where its absence fails.
set -uo pipefail

cli=${ORDO_CLI:-$PWD/.ordo/bin/compiler/driver/ordo}
export ORDO_CONTRACTS=$PWD/contracts
inputs=$PWD/tests/lit/cli/Inputs
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# settle NAME STATUS: one case.
settle() {
  if (($2 == 0)); then echo "case: $1 ok"; else echo "case: $1 FAILED"; fi
}

# audit NAME ARGUMENT...: makes $work/NAME.html; exit code 1 is a comparison that found a difference.
audit() {
  local name=$1
  shift
  "$cli" audit "$@" --html "$work/$name.html" >"$work/$name.out" 2>&1
  (($? <= 1)) && python3 "$inputs/check_page.py" "$work/$name.html"
  settle "${name}_is_well_formed" $?
}

# browse NAME ARGUMENT...: opens a page as a user would, with a profile of its own; leaves its log of the network in
# NAME.net and what it printed in NAME.log. No host is found, so that neither a page nor the browser reaches anything.
browse() {
  local name=$1 sandbox=()
  shift
  ((EUID != 0)) || sandbox=(--no-sandbox) # which cannot be had as root
  HOME=$work timeout 120 "$browser" --headless "${sandbox[@]}" --disable-gpu --disable-dev-shm-usage --no-first-run \
    --disable-background-networking --disable-extensions --host-resolver-rules="MAP * ~NOTFOUND" \
    --user-data-dir="$work/profile" --virtual-time-budget=3000 --hide-scrollbars --enable-logging=stderr --v=0 \
    --log-net-log="$work/$name.net" "$@" "file://$work/$name.html" 2>"$work/$name.log"
}

# asks_nothing NAME: no console message, and no request but for the file itself.
asks_nothing() {
  [[ -s $work/$1.net ]] && ! grep -a 'CONSOLE' "$work/$1.log" && python3 - "$work/$1.net" <<'PYTHON'
import json, sys
started, asked = 0, set()
for line in open(sys.argv[1], encoding="utf-8", errors="replace"):
    try:
        params = json.loads(line.strip().rstrip(","))["params"]
        initiator, url = params["initiator"], params["url"]
    except (ValueError, KeyError, TypeError):  # another kind of event, or no event
        continue
    started += 1
    if initiator != "not an origin":  # which is the browser itself
        asked.add(url)
print(f"{started} requests, of the page: {sorted(asked)}")
sys.exit(1 if asked else 0)
PYTHON
}

# is_drawn FILE WIDTH LIGHTNESS: a PNG of that width with many colours, on the whole light or dark.
is_drawn() {
  python3 - "$@" <<'PYTHON'
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
channels = {2: 3, 6: 4}[kind]
at, packed = 8, b""
while at < len(data):
    size, name = struct.unpack(">I4s", data[at : at + 8])
    packed += data[at + 8 : at + 8 + size] if name == b"IDAT" else b""
    at += size + 12
raw, stride = zlib.decompress(packed), width * channels
rows, above = [], bytearray(stride)
for y in range(height):  # PNG's filters, section 9 of its specification
    start = y * (stride + 1)
    kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + stride])
    if kind == 2:
        row = bytearray((a + b) & 255 for a, b in zip(row, above))
    elif kind:
        for i in range(stride):
            left = row[i - channels] if i >= channels else 0
            if kind == 1:
                guess = left
            elif kind == 3:
                guess = (left + above[i]) // 2
            else:
                up, corner = above[i], above[i - channels] if i >= channels else 0
                a, b, c = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
                guess = left if a <= b and a <= c else up if b <= c else corner
            row[i] = (row[i] + guess) & 255
    rows.append(row)
    above = row
pixels = [bytes(row[x : x + 3]) for row in rows[::4] for x in range(0, stride, 4 * channels)]
mean = sum(map(sum, pixels)) / len(pixels) / 3
print(f"{sys.argv[1]}: {width}x{height}, {len(set(pixels))} colours, mean {mean:.0f}")
lit = mean > 170 if sys.argv[3] == "light" else mean < 85
sys.exit(0 if width == int(sys.argv[2]) and len(set(pixels)) > 40 and lit else 1)
PYTHON
}

# shot NAME SUFFIX WIDTH LIGHTNESS ARGUMENT...
shot() {
  local name=$1 suffix=$2 width=$3 lightness=$4
  shift 4
  browse "$name" --screenshot="$work/$name.$suffix.png" --window-size="$width,800" "$@" >/dev/null &&
    is_drawn "$work/$name.$suffix.png" "$width" "$lightness"
  settle "${name}_is_drawn_$suffix" $?
}

norm=contracts/nn/norm.ordo
audit norm "$norm:rms_norm_hf_centred_bf16_2048"
audit softmax contracts/nn/softmax.ordo:softmax_bf16_152064
audit hostile "$inputs/hostile.ordo:halved_8"
audit diff "$norm:rms_norm_bf16_128" --against "$norm:rms_norm_bf16_2048"

if [[ -z $browser ]]; then
  echo "chromium is not installed: the pages were not opened in a browser (apt-get install chromium)"
  [[ ${ORDO_FULL:-0} != 1 ]] || settle chromium_is_installed 1
  exit 0
fi

for name in norm softmax hostile diff; do
  shot "$name" light 1240 light
  asks_nothing "$name"
  settle "${name}_asks_nothing" $?
done
shot norm dark 1240 dark --blink-settings=preferredColorScheme=0
shot norm narrow 390 light
shot diff dark 1240 dark --blink-settings=preferredColorScheme=0

# What the browser made of the hostile page: text, and no element that the text speaks of.
browse hostile --dump-dom >"$work/hostile.dom" && grep -q 'No time and no machine' "$work/hostile.dom" &&
  grep -q 'reversed: \[U+202E\]gpj.exe' "$work/hostile.dom" &&
  ! grep -niE '<(script|img|iframe|b)[ >]' "$work/hostile.dom"
settle hostile_text_stays_text $?

# The checks above can fail: a page that loads, logs and draws nothing is caught.
echo '<title>x</title><script>console.error("seen")</script><img src="http://example.com/x.png">' >"$work/control.html"
browse control --screenshot="$work/control.png" --window-size=1240,800 >/dev/null
grep -aq 'CONSOLE.*seen' "$work/control.log"
settle a_console_message_is_seen $?
: >"$work/control.log" # so that only the request is left to be found
! asks_nothing control
settle a_request_is_seen $?
! is_drawn "$work/control.png" 1240 light
settle an_empty_page_is_seen $?
