// SPDX-License-Identifier: MIT
#include "page.h"

namespace gaia::report {

// Line colours c0 to c5 are those of Okabe & Ito (2008), "Color universal design", a little lighter
// on dark paper; they can be told apart with any kind of colour vision.
std::string_view page_style() {
  return R"css(
:root {
  --paper: #ffffff; --ink: #1b1f24; --soft: #5b6470; --faint: #8b939e; --hair: #e3e6ea;
  --grid: #eceef1; --card: #f6f7f9; --accent: #0b62a8; --mark: #fff3c9;
  --good: #1a7f4b; --warn: #9a5b00; --bad: #b3261e;
  --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b35f94; --c4: #8a7300; --c5: #3a9bd0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171b; --ink: #e6e9ed; --soft: #a5adb8; --faint: #78818d; --hair: #2c3138;
    --grid: #23272d; --card: #1c2026; --accent: #6cb6f0; --mark: #453a12;
    --good: #4cc38a; --warn: #e0a13c; --bad: #ff7b72;
    --c0: #4ba3dd; --c1: #f08440; --c2: #2fbf95; --c3: #d98fbd; --c4: #cdb43c; --c5: #8cc9ee;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 Inter, "Segoe UI", system-ui, -apple-system, "Helvetica Neue", "Noto Sans",
    "Liberation Sans", Arial, sans-serif;
  font-feature-settings: "tnum" 1;
}
main { max-width: 1120px; margin: 0 auto; padding: 40px 28px 72px; }
h1 { font-size: 34px; line-height: 1.15; letter-spacing: -0.02em; margin: 0 0 6px; font-weight: 650;
  overflow-wrap: anywhere; }
h2 { font-size: 22px; letter-spacing: -0.012em; margin: 56px 0 4px; font-weight: 640; }
h3 { font-size: 15px; margin: 0 0 10px; font-weight: 620; }
p { margin: 8px 0; max-width: 74ch; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; }
.lead { color: var(--soft); font-size: 17px; margin: 0 0 18px; max-width: 84ch; overflow-wrap: anywhere; }
.note { color: var(--soft); overflow-wrap: anywhere; }
.badge { display: inline-block; font-size: 12.5px; font-weight: 600; border-radius: 99px;
  padding: 2px 10px; border: 1px solid currentColor; vertical-align: 7px; margin-left: 8px; }
.badge.complete { color: var(--good); }
.badge.interrupted, .badge.running { color: var(--warn); }
.badge.failed { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(180px, 1fr)); gap: 12px;
  margin: 22px 0 20px; }
.tile { background: var(--card); border-radius: 10px; padding: 13px 16px 12px; min-width: 0; }
.tile b { display: block; font-size: 25px; font-weight: 630; letter-spacing: -0.015em;
  line-height: 1.25; overflow-wrap: anywhere; }
.tile span { display: block; color: var(--soft); font-size: 13.5px; line-height: 1.4; }
.tile.good b { color: var(--good); }
.tile.bad b { color: var(--bad); } .tile.warn b { color: var(--warn); }
nav { display: flex; flex-wrap: wrap; gap: 4px 18px; font-size: 14px; padding: 10px 0;
  border-top: 1px solid var(--hair); border-bottom: 1px solid var(--hair); }
figure { margin: 24px 0 36px; padding: 0; break-inside: avoid; }
figcaption { color: var(--soft); font-size: 14px; line-height: 1.5; margin-top: 8px; max-width: 94ch; }
.look { color: var(--ink); }
.plot { display: block; width: 100%; height: auto; overflow: visible; touch-action: pan-y; }
.plot text { font-size: 12px; fill: var(--soft); font-family: inherit; }
.plot text.title { font-size: 12.5px; font-weight: 600; fill: var(--ink); }
.plot text.tick { font-size: 11.5px; } .plot text.label { font-size: 12px; }
.plot text.key { font-size: 12px; fill: var(--ink); }
.plot text.value { font-size: 11.5px; fill: var(--ink); font-weight: 560; }
.plot text.small.ink { fill: var(--ink); }
.plot text.small { font-size: 10.5px; fill: var(--faint); }
.plot text.cell { font-size: 12px; fill: var(--ink); } .plot text.faint { fill: var(--faint); }
.grid { stroke: var(--grid); stroke-width: 1; }
.frame { fill: none; stroke: var(--hair); stroke-width: 1; }
.line { fill: none; stroke-width: 1.5; vector-effect: non-scaling-stroke;
  stroke-linejoin: round; stroke-linecap: round; }
.line.thin { stroke-width: 1; } .line.fine { stroke-width: 0.7; } .line.bold { stroke-width: 2.2; }
.line.spike { stroke-linecap: butt; }
.line.dashed { stroke-dasharray: 4 4; } .line.rule { stroke: var(--faint); stroke-width: 1; }
.line.faded { opacity: 0.55; }
.line.ink { stroke: var(--ink); } .line.soft { stroke: var(--faint); }
.dot { fill: var(--ink); } .dot.hollow { fill: none; stroke: var(--faint); stroke-width: 1.3; }
.bar { fill: var(--c0); }
.bar.anomaly { fill: var(--c1); opacity: 0.28; }
.line.anomaly { stroke: var(--c1); stroke-width: 9; opacity: 0.4; stroke-linecap: butt; }
.bar.healthy { fill: var(--good); opacity: 0.16; }
.bar.soft { fill: var(--faint); opacity: 0.45; }
.line.c0 { stroke: var(--c0); } .line.c1 { stroke: var(--c1); } .line.c2 { stroke: var(--c2); }
.line.c3 { stroke: var(--c3); } .line.c4 { stroke: var(--c4); } .line.c5 { stroke: var(--c5); }
.dot.c0, .bar.c0 { fill: var(--c0); } .dot.c1, .bar.c1 { fill: var(--c1); }
.dot.c2, .bar.c2 { fill: var(--c2); } .dot.c3, .bar.c3 { fill: var(--c3); }
.dot.c4, .bar.c4 { fill: var(--c4); } .dot.c5, .bar.c5 { fill: var(--c5); }
.dot.ink { fill: var(--ink); } .dot.soft { fill: var(--faint); }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(54px, 1fr)); gap: 8px; }
.pictures.wide { grid-template-columns: repeat(auto-fill, minmax(104px, 1fr)); }
.pictures div { min-width: 0; } .pictures span { font-size: 11.5px; color: var(--soft); }
.picture { display: block; width: 100%; height: auto; outline: 1px solid var(--hair); }
.scale { display: flex; align-items: center; gap: 8px; font-size: 12px; color: var(--soft);
  margin-top: 8px; }
.ramp { width: 160px; height: 12px; outline: 1px solid var(--hair); }
.crisp, .zoomed .map { image-rendering: pixelated; }
.cursor { stroke: var(--ink); stroke-width: 1; opacity: 0.5; vector-effect: non-scaling-stroke;
  pointer-events: none; }
.brush { fill: var(--accent); opacity: 0.15; pointer-events: none; }
.zoom .view { cursor: crosshair; }
table { border-collapse: collapse; font-size: 14px; margin: 14px 0 10px; }
.scroll { overflow-x: auto; }
th, td { text-align: left; padding: 6px 18px 6px 0; border-bottom: 1px solid var(--hair);
  vertical-align: baseline; }
th { font-weight: 600; color: var(--soft); font-size: 13px; white-space: nowrap; }
th small { display: block; font-weight: 400; font-size: 11px; color: var(--faint); }
td.n, th.n { text-align: right; } td.n { white-space: nowrap; } td.best { font-weight: 650; }
table.scores th { white-space: normal; vertical-align: bottom; min-width: 76px; }
table.scores td:nth-child(2) { min-width: 170px; }
td.good { color: var(--good); } td.bad { color: var(--warn); }
table.sortable th { cursor: pointer; user-select: none; }
table.sortable th[aria-sort="ascending"]::after { content: " ▲"; font-size: 9px; }
table.sortable th[aria-sort="descending"]::after { content: " ▼"; font-size: 9px; }
tr.lit td { background: var(--mark); } .run.lit { stroke-width: 3.5; opacity: 1; }
.run { opacity: 0.75; pointer-events: stroke; }
.plot text.halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px;
  stroke-linejoin: round; }
.verdict { font-size: 17px; max-width: 84ch; overflow-wrap: anywhere; }
ul.verdicts { list-style: none; margin: 14px 0; padding: 0; max-width: 94ch; }
ul.verdicts li { padding: 2px 0 2px 14px; margin: 6px 0; border-left: 4px solid var(--hair);
  overflow-wrap: anywhere; }
ul.verdicts li.good { border-left-color: var(--good); }
ul.verdicts li.bad { border-left-color: var(--warn); }
ul.findings { list-style: none; margin: 14px 0; padding: 0; max-width: 94ch; }
ul.findings li { padding: 9px 14px; border-radius: 8px; margin: 8px 0; background: var(--card);
  border-left: 4px solid var(--faint); overflow-wrap: anywhere; }
ul.findings li.warning { border-left-color: var(--warn); }
ul.findings li.failure { border-left-color: var(--bad); }
ul.findings li.fine { border-left-color: var(--good); }
pre { font: 13px/1.5 ui-monospace, "SF Mono", "JetBrains Mono", Menlo, "DejaVu Sans Mono",
    "Liberation Mono", monospace; background: var(--card); border-radius: 8px; padding: 12px 16px;
  overflow-x: auto; margin: 10px 0; }
pre.wrap { white-space: pre-wrap; overflow-wrap: anywhere; }
pre b { font-weight: 600; color: var(--accent); } pre i { font-style: normal; color: var(--faint); }
details { margin: 14px 0; }
summary { cursor: pointer; font-weight: 600; font-size: 15px; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 4px 22px; font-size: 14px;
  margin: 14px 0; }
dt { color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
footer { color: var(--faint); font-size: 13px; margin-top: 60px; border-top: 1px solid var(--hair);
  padding-top: 14px; }
/* Drawings keep letters that can be read, and move sideways under the finger. */
@media screen and (max-width: 760px) {
  main { padding: 24px 16px 48px; }
  h1 { font-size: 27px; }
  .tiles { grid-template-columns: repeat(auto-fit, minmax(140px, 1fr)); }
  .tile { padding: 10px 12px; } .tile b { font-size: 21px; }
  .drawing { overflow-x: auto; padding-top: 10px; }
  .drawing > .plot { min-width: 900px; touch-action: pan-x pan-y; }
  dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: 8px; }
}
@media print {
  :root { --paper: #ffffff; --ink: #000000; --soft: #444444; --faint: #777777; --hair: #cccccc;
    --grid: #eeeeee; --card: #f4f4f4; --accent: #0b4a80; --mark: #eeeeee;
    --c0: #0072b2; --c1: #d55e00; --c2: #009e73; --c3: #b35f94; --c4: #8a7300; --c5: #3a9bd0; }
  body { font-size: 11pt; } main { max-width: none; padding: 0; } nav { display: none; }
  h2 { break-after: avoid; margin-top: 28px; }
}
)css";
}

}  // namespace gaia::report
