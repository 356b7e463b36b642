#include "compiler/driver/audit_html_page.h"

namespace ordo::compiler::driver {

namespace {

constexpr std::string_view kStyle = R"(:root {
  --paper: #ffffff; --ground: #f6f7f9; --ink: #0f172a; --soft: #55637a; --line: #dde3ea; --faint: #eef1f5;
  --teal: #0f766e; --teal-tint: #e3f5f2; --amber: #9a3412; --amber-tint: #fdebd3; --indigo: #4338ca;
  --indigo-tint: #e8eafd; --red: #b91c1c; --red-tint: #fde8e8; --green: #166534; --green-tint: #e5f6ea;
  --mono: ui-monospace, 'SF Mono', 'JetBrains Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', Inter, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #151a21; --ground: #0e1217; --ink: #e4e9f0; --soft: #9aa7b8; --line: #2b3440; --faint: #1d242d;
    --teal: #5fd4c4; --teal-tint: #12332f; --amber: #f6b26b; --amber-tint: #3d2812; --indigo: #a5b0ff;
    --indigo-tint: #23284d; --red: #ff8f8f; --red-tint: #431b1e; --green: #86e0a0; --green-tint: #143322;
  }
}
* { box-sizing: border-box; }
html { color-scheme: light dark; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 var(--sans); }
main { max-width: 1120px; margin: 0 auto; padding: 36px 28px 64px; }
main:has(.pair) { max-width: 1760px; }
a { color: inherit; text-decoration-color: var(--soft); text-decoration-thickness: 1px; text-underline-offset: 3px; }
a:hover { color: var(--teal); }
code, pre, .mono { font-family: var(--mono); font-size: 0.9em; }
code { overflow-wrap: anywhere; }
p { margin: 0 0 12px; max-width: 78ch; }
.soft { color: var(--soft); }

header { margin-bottom: 24px; }
.eyebrow { margin: 0 0 6px; color: var(--teal); font-size: 12px; font-weight: 650; letter-spacing: 0.12em; text-transform: uppercase; }
h1 { margin: 0 0 10px; font: 600 clamp(16px, 4.6vw, 29px)/1.2 var(--mono); letter-spacing: -0.02em; overflow-wrap: anywhere; }
h2 { margin: 0 0 14px; font-size: 19px; line-height: 1.3; letter-spacing: -0.01em; }
h3 { margin: 0 0 8px; font-size: 15px; line-height: 1.4; }
.number { color: var(--soft); font-weight: 500; font-variant-numeric: tabular-nums; }
h2 .number { margin-right: 4px; }
.doc { color: var(--soft); }
header .card { margin-top: 16px; }

.card, section { background: var(--paper); border: 1px solid var(--line); border-radius: 12px; }
section { margin: 0 0 18px; padding: 20px 24px 22px; scroll-margin-top: 12px; }
dl.card { display: grid; grid-template-columns: max-content 1fr; gap: 7px 20px; margin: 0; padding: 16px 24px; }
dt { color: var(--soft); }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.digest { font: 600 13.5px/1.6 var(--mono); word-break: break-all; }

.figures { display: flex; flex-wrap: wrap; gap: 12px; margin: 14px 0 0; padding: 0; list-style: none; }
.figures li { flex: 1 1 130px; padding: 12px 24px; background: var(--paper); border: 1px solid var(--line); border-radius: 12px; color: var(--soft); font-size: 13px; line-height: 1.35; }
.figures strong { display: block; color: var(--ink); font-size: 23px; font-weight: 600; line-height: 1.25; font-variant-numeric: tabular-nums; }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 18px; padding: 2px; font-size: 14px; }
nav a { text-decoration: none; }

.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { padding: 0 18px 6px 0; color: var(--soft); font-size: 12px; font-weight: 600; text-align: left; vertical-align: bottom; border-bottom: 1px solid var(--line); white-space: nowrap; }
td { padding: 7px 18px 7px 0; vertical-align: top; border-bottom: 1px solid var(--faint); }
tbody tr:last-child td { border-bottom: 0; }
td code { overflow-wrap: break-word; }
td.narrow { width: 1%; white-space: nowrap; font-variant-numeric: tabular-nums; }
th:last-child, td:last-child { padding-right: 0; }
tr { scroll-margin-top: 12px; }
section > :last-child { margin-bottom: 0; }
tr:target, .row:target { background: var(--teal-tint); }
section > h3:not(:first-of-type), .wide + h3 { margin-top: 22px; }

.pill { display: inline-block; padding: 0 8px; border-radius: 6px; font-size: 13px; line-height: 1.6; white-space: nowrap; background: var(--faint); color: var(--soft); }
.pill.exact { background: var(--teal-tint); color: var(--teal); }
.pill.rounds { background: var(--amber-tint); color: var(--amber); }
.pill.same { background: var(--green-tint); color: var(--green); }
.pill.differs { background: var(--red-tint); color: var(--red); }

.reduction + .reduction { margin-top: 26px; padding-top: 22px; border-top: 1px solid var(--line); }
.stages { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; margin: 0 0 10px; font: 600 14px/1.5 var(--mono); }
.stages .bar { color: var(--soft); font-weight: 400; }
.stage { padding: 1px 8px; border-radius: 6px; background: var(--faint); overflow-wrap: anywhere; }
.stage.differs { background: var(--red-tint); color: var(--red); outline: 2px solid var(--red); outline-offset: -1px; }
figure { margin: 14px 0; overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: #ffffff; }
figure svg { display: block; width: 100%; max-width: max-content; min-width: min(100%, 620px); height: auto; margin: 0 auto; }
pre { margin: 12px 0 0; padding: 14px 16px; overflow-x: auto; background: var(--faint); border-radius: 10px; font-size: 12.5px; line-height: 1.5; }

.listing { font: 12.5px/1.6 var(--mono); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; padding: 8px 0; }
.row { display: flex; scroll-margin-top: 40px; }
.row > a { flex: none; width: 4.6em; padding-right: 1.4em; color: var(--soft); text-align: right; text-decoration: none; user-select: none; opacity: 0.75; }
.row > span { flex: 1; min-width: 0; padding-right: 16px; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4; }
.file { margin: 0 0 6px; }
.listing + .file { margin-top: 22px; }
.listing summary { padding: 3px 0 3px 5.8em; color: var(--soft); cursor: pointer; font-family: var(--sans); background: var(--faint); }
.listing summary:hover { color: var(--ink); }
.listing details .row { opacity: 0.6; }
.word { color: var(--indigo); }
.comment { color: var(--soft); font-style: italic; }
.literal { color: var(--teal); text-decoration: none; }
.mark { padding: 1px 2px; border-radius: 4px; text-decoration: none; color: inherit; }
.mark[data-mark]::after { content: attr(data-mark); margin-left: 1px; font-size: 0.72em; vertical-align: 0.42em; line-height: 0; }
.mark.exact { background: var(--teal-tint); color: var(--teal); }
.mark.rounds { background: var(--amber-tint); color: var(--amber); }
.mark.tree { background: var(--indigo-tint); color: var(--indigo); }
.key { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0 0 14px; color: var(--soft); font-size: 13.5px; }
.key .mark { font-family: var(--mono); font-size: 12.5px; }

.verdict { margin: 0 0 18px; padding: 14px 24px; border-radius: 12px; border: 1px solid; font-size: 15.5px; }
.verdict p { max-width: none; margin: 0; }
.verdict p + p { margin-top: 4px; }
.verdict.same { background: var(--green-tint); color: var(--green); border-color: currentcolor; }
.verdict.differs { background: var(--red-tint); color: var(--red); border-color: currentcolor; }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 18px; }
.columns > div { min-width: 0; }
header .columns { margin-bottom: 14px; }
.columns + p { margin-top: 16px; }
.columns dl.card { padding: 16px 20px; align-content: start; grid-template-columns: minmax(0, 1fr); gap: 0; }
.columns dl.card dt:not(:first-child) { margin-top: 8px; }
.columns .digest { max-width: 33ch; }
.columns h2.mono { margin: 0 0 10px; overflow-wrap: anywhere; }
table.pair { table-layout: fixed; font-size: 13px; }
table.pair td, table.pair th { width: 50%; padding: 5px 12px; border: 0; overflow-wrap: anywhere; }
table.pair td + td, table.pair th + th { border-left: 1px solid var(--line); }
table.pair th { border-bottom: 1px solid var(--line); font-family: var(--mono); white-space: normal; }
table.pair code { white-space: pre-wrap; }
table.pair tr.differs td { background: var(--red-tint); }
table.pair tr.names td { background: var(--faint); }
table.pair td.absent { color: var(--soft); }
.first { width: fit-content; display: block; margin: 0 0 3px; padding: 0 8px; border-radius: 5px; background: var(--red); color: var(--paper); font: 600 11.5px/1.7 var(--sans); }
mark { background: var(--red-tint); color: var(--red); }
footer { padding: 4px 2px; color: var(--soft); font-size: 13px; }
footer p { max-width: none; margin: 0 0 4px; }

@media (prefers-color-scheme: dark) {
  figure { background: #141414; } /* what the filter makes of white */
  figure svg { filter: invert(0.92) hue-rotate(180deg); }
}
@media (max-width: 640px) {
  main { padding: 22px 14px 40px; }
  section { padding: 16px 16px 18px; }
  dl.card { grid-template-columns: 1fr; gap: 0; padding: 14px 16px; }
  dt:not(:first-child) { margin-top: 8px; }
  figure svg { min-width: 620px; }
  .row > a { width: 3.4em; padding-right: 1em; }
  .listing summary { padding-left: 3.4em; }
  .columns { gap: 0 10px; }
}
@page { margin: 15mm 14mm; }
@page two { size: landscape; }
@media print {
  :root {
    --paper: #ffffff; --ground: #ffffff; --ink: #000000; --soft: #444c58; --line: #c3cad3; --faint: #f0f2f5;
    --teal: #0b5a54; --teal-tint: #dff2ef; --amber: #8a2d0e; --amber-tint: #fbe6cb; --indigo: #3730a3;
    --indigo-tint: #e4e6fb; --red: #a01414; --red-tint: #fce3e3; --green: #14532d; --green-tint: #e0f3e6;
  }
  html { color-scheme: light; }
  body { font-size: 9.5pt; -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  main, main:has(.pair) { max-width: none; padding: 0; }
  main:has(.pair) { page: two; }
  nav { display: none; }
  section { padding: 0; margin: 0 0 18pt; border: 0; border-radius: 0; }
  h1 { font-size: 19pt; }
  h2 { font-size: 13pt; padding-bottom: 3pt; border-bottom: 0.6pt solid var(--ink); }
  h1, h2, h3, .stages, .file, .reduction p { break-after: avoid; }
  figure, tr, .row, .card, .figures li { break-inside: avoid; }
  figure { background: #ffffff; overflow: visible; }
  figure svg { min-width: 0; max-width: 100%; max-height: 190mm; filter: none; }
  main:has(.pair) figure svg { max-height: 120mm; }
  .wide, .listing, pre { overflow: visible; }
  pre, .listing { font-size: 7.8pt; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; }
  table { font-size: 8.8pt; }
  a { text-decoration: none; }
}
)";

} // namespace

std::string_view htmlStyle() { return kStyle; }

} // namespace ordo::compiler::driver
