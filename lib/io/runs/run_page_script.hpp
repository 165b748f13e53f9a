// The page around the data of a run: its head, and the script that draws the run.
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace wormcast::io {

inline constexpr std::string_view run_page_head = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>wormcast: a run</title>
<link rel="icon" href="data:,">
<style>
:root { --ink: #222; --soft: #777; --line: #d4d4d4; --page: #fff; --bad: #c4281c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e3; --soft: #999; --line: #444; --page: #1b1b1a; --bad: #ff7b66; }
}
body { font: 15px/1.4 system-ui, sans-serif; margin: 0; color: var(--ink); background: var(--page);
  display: flex; flex-direction: column; height: 100vh; }
header { display: flex; flex-wrap: wrap; gap: 0.5em 1em; align-items: center; padding: 0.5em 1em; }
#time { flex: 1; min-width: 10em; }
#state { font-variant-numeric: tabular-nums; min-width: 24em; }
#state b { color: var(--bad); }
canvas { flex: 1; min-height: 0; width: 100%; }
footer { padding: 0.3em 1em; color: var(--soft); font-size: 85%; }
</style>
</head>
<body>
<header>
<select id="run" aria-label="run"></select>
<button id="play" type="button">play</button>
<button id="back" type="button" aria-label="one cycle back">&lsaquo;</button>
<button id="on" type="button" aria-label="one cycle on">&rsaquo;</button>
<input id="time" type="range" min="0" value="0" aria-label="cycle">
<label>cycles a second <input id="speed" type="number" min="1" max="100000" value="20" style="width: 5em"></label>
<span id="state" role="status"></span>
</header>
<canvas id="picture"></canvas>
<footer>A line is a channel that a worm holds, a ring its injection or consumption channel, in one colour for each multicast; a
disc is an arrival. <span id="legend">Dashed: what the worms of the deadlock wait for.</span></footer>
<script>
"use strict";
const runs = [
)html";

inline constexpr std::string_view run_page_script = R"html(
];
const find = id => document.getElementById(id);
const canvas = find("picture"), paint = canvas.getContext("2d");
let run, now = 0, playing = false, last = 0;

// Nodes without places: repelled by each other, drawn together by links, in a fixed number of steps.
function settle(nodes, links) {
  const n = nodes.length, side = 60 * Math.sqrt(n), at = nodes.map((_, i) => {
    const angle = i * 2.399963, far = side / 2 * Math.sqrt((i + 0.5) / n);
    return [far * Math.cos(angle), far * Math.sin(angle)];
  });
  for (let step = 0; n <= 600 && step < 200; ++step) {
    const force = at.map(() => [0, 0]), most = side / 10 * (1 - step / 200);
    const pull = (i, j, size) => {
      const dx = at[j][0] - at[i][0], dy = at[j][1] - at[i][1], d = Math.hypot(dx, dy) || 0.01, f = size(d) / d;
      force[i][0] += f * dx; force[i][1] += f * dy; force[j][0] -= f * dx; force[j][1] -= f * dy;
    };
    for (let i = 0; i < n; ++i) for (let j = i + 1; j < n; ++j) pull(i, j, d => -3600 / d);
    for (const [from, to] of links) if (from !== to) pull(from, to, d => d * d / 120);
    at.forEach((place, i) => {
      const size = Math.hypot(...force[i]) || 1, part = Math.min(size, most) / size;
      place[0] += force[i][0] * part; place[1] += force[i][1] * part;
    });
  }
  nodes.forEach((node, i) => { [node[0], node[1]] = at[i]; });
}

function choose(index) {
  run = runs[index];
  if (run.nodes.some(node => node[0] === null)) settle(run.nodes, run.links);
  if (!run.around) run.around = new Map(run.links.filter(l => l[2] || l[3]).map(l => [l[0] + " " + l[1], l]));
  find("time").max = run.end + 1;
  find("legend").hidden = run.deadlock === undefined;
  show(0);
}

const colour = multicast => `hsl(${multicast * 137.508 % 360} 70% 50%)`;

// A line a little to the right of the straight one; around a dimension, its two ends.
function line(from, to, beside, style, width, dash) {
  const a = run.nodes[from], b = run.nodes[to], way = run.around.get(from + " " + to);
  const parts = way ? [[a, [a[0] + way[2] * 15, a[1] + way[3] * 15]], [[b[0] - way[2] * 15, b[1] - way[3] * 15], b]]
                    : [[a, b]];
  paint.strokeStyle = style; paint.lineWidth = width; paint.setLineDash(dash);
  for (const [p, q] of parts) {
    const dx = q[0] - p[0], dy = q[1] - p[1], d = Math.hypot(dx, dy) || 1, x = dy / d * beside, y = -dx / d * beside;
    paint.beginPath(); paint.moveTo(p[0] + x, p[1] + y); paint.lineTo(q[0] + x, q[1] + y); paint.stroke();
  }
  paint.setLineDash([]);
}

function ring(node, radius, style, filled) {
  paint.beginPath(); paint.arc(run.nodes[node][0], run.nodes[node][1], radius, 0, 2 * Math.PI);
  if (filled) { paint.fillStyle = style; paint.fill(); } else { paint.strokeStyle = style; paint.lineWidth = 2; paint.stroke(); }
}

function fit() {
  const ratio = window.devicePixelRatio || 1, width = canvas.clientWidth, height = canvas.clientHeight;
  canvas.width = width * ratio; canvas.height = height * ratio;
  const xs = run.nodes.map(node => node[0]), ys = run.nodes.map(node => node[1]);
  const [left, right] = [Math.min(...xs) - 30, Math.max(...xs) + 30], [low, high] = [Math.min(...ys) - 30, Math.max(...ys) + 30];
  const scale = Math.min(width / (right - left), height / (high - low), 4) * ratio;
  paint.setTransform(scale, 0, 0, -scale, canvas.width / 2 - scale * (left + right) / 2, canvas.height / 2 + scale * (low + high) / 2);
}

function show(cycle) {
  now = Math.max(0, Math.min(cycle, run.end + 1));
  const at = Math.floor(now), css = name => getComputedStyle(document.documentElement).getPropertyValue(name);
  paint.setTransform(1, 0, 0, 1, 0, 0); fit();
  paint.clearRect(-1e6, -1e6, 2e6, 2e6);
  for (const [from, to] of run.links) line(from, to, 2, css("--line"), 0.7, []);
  const stands = run.deadlock !== undefined && at >= run.deadlock, worms = new Set();
  const held = run.holds.filter(hold => hold[3] <= at && (at < hold[4] || hold[5]));
  for (const [place, worm, multicast] of held) {
    worms.add(multicast + " " + worm);
    if (place.length > 1) line(place[0], place[1], 3 + 2.6 * place[2], colour(multicast), 2.2, []);
  }
  if (stands) for (const [place] of run.waits)
    if (place.length > 1) line(place[0], place[1], 6 + 2.6 * place[2], css("--bad"), 1.6, [3, 3]); else ring(place[0], 12, css("--bad"));
  run.nodes.forEach((_, node) => ring(node, 5, css("--soft"), true));
  for (const [place, , multicast] of held) if (place.length === 1) ring(place[0], 8, colour(multicast));
  for (const [node, multicast, cycle] of run.arrivals) if (cycle <= at && at < cycle + 4) ring(node, 10 - at + cycle, colour(multicast), true);
  if (run.nodes.length <= 300) {
    paint.save(); paint.fillStyle = css("--ink"); paint.font = "8px system-ui, sans-serif"; paint.scale(1, -1);
    for (const [x, y, name] of run.nodes) paint.fillText(name, x + 7, -y - 7);
    paint.restore();
  }
  const arrived = run.arrivals.filter(arrival => arrival[2] <= at).length;
  find("time").value = at;
  find("state").innerHTML = `cycle ${at} of ${run.end}: ${worms.size} worms in the network, ${arrived} of ${run.arrivals.length} arrivals` +
    (stands ? ` <b>deadlock since cycle ${run.deadlock}</b>` : "");
}

function play(on) {
  playing = on; find("play").textContent = on ? "pause" : "play"; last = 0;
  if (on && now > run.end) now = 0;
  if (on) requestAnimationFrame(step);
}

function step(time) {
  if (!playing) return;
  show(now + (last ? (time - last) / 1000 * Math.max(1, Number(find("speed").value) || 20) : 0));
  last = time;
  if (now > run.end) play(false); else requestAnimationFrame(step);
}

runs.forEach((one, i) => find("run").add(new Option(one.title, i)));
find("run").onchange = event => { play(false); choose(Number(event.target.value)); };
find("play").onclick = () => play(!playing);
find("back").onclick = () => { play(false); show(Math.floor(now) - 1); };
find("on").onclick = () => { play(false); show(Math.floor(now) + 1); };
find("time").oninput = event => { play(false); show(Number(event.target.value)); };
document.onkeydown = event => {
  if (event.target.id === "speed" || event.target.id === "run") return;
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); play(!playing); }
  if (event.key === "ArrowLeft" && event.target.id !== "time") show(Math.floor(now) - 1);
  if (event.key === "ArrowRight" && event.target.id !== "time") show(Math.floor(now) + 1);
};
window.onresize = () => { if (run) show(now); };
if (runs.length > 0) { choose(0); show(Number(location.hash.slice(1)) || 0); }  // run.html#57: from cycle 57 on
</script>
</body>
</html>
)html";

}  // namespace wormcast::io
