// Draws the charts of the report and links them with the table. No library, no network; all text from the data
// goes through esc() or textContent.
(() => {
"use strict";

const $ = (id) => document.getElementById(id);
const run = JSON.parse($("drawn").textContent);
const esc = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const list = (x) => (Array.isArray(x) ? x : []);

// ---- Numbers ----

// Four digits, with a real minus sign.
const number = (x) => {
  if (!Number.isFinite(x)) return "–";
  const size = Math.abs(x);
  const text = size && (size < 1e-4 || size >= 1e6) ? Number(x.toPrecision(3)).toExponential() : String(Number(x.toPrecision(4)));
  return text.replace(/-/g, "−");
};
const percent = (x) => `${Number((100 * x).toPrecision(4))} %`;

// About `count` round numbers in [lo, hi].
const ticks = (lo, hi, count) => {
  const rough = (hi - lo) / count, ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * ten).find((s) => s >= rough) || rough;
  const found = [];
  for (let k = Math.ceil(lo / step - 1e-9); k * step <= hi + 1e-9 * step && found.length < 50; k++) found.push(k * step);
  return found;
};
// Powers of ten in [lo, hi], with 2 and 5 times them if there is room.
const logTicks = (lo, hi, count) => {
  const decades = Math.log10(hi / lo), factors = decades < count / 3 ? [1, 2, 5] : [1];
  const found = [];
  for (let e = Math.floor(Math.log10(lo)); e <= Math.ceil(Math.log10(hi)); e++)
    for (const f of factors) if (f * 10 ** e >= lo * 0.999 && f * 10 ** e <= hi * 1.001) found.push(f * 10 ** e);
  const every = Math.ceil(found.length / count);
  return found.filter((_, k) => k % every === 0);
};

// ---- Charts ----

// A text of a chart; `more` are attributes.
const label = (x, y, text, more) => `<text x="${x}" y="${y}" ${more}>${esc(text)}</text>`;
const MIDDLE = 'text-anchor="middle"', END = 'text-anchor="end"';

// A chart in `box`: margins, axes and grid. `x` and `y` have lo, hi, name, format; a logarithmic x falls to the right,
// so that the penalty gets weaker as one reads. Gives back scales, and a list of markup to which more is added.
const frame = (box, { height, x, y, right = 14, top = 12, square = false }) => {
  const width = Math.max(280, Math.round(box.clientWidth || 800));
  if (square) height = Math.min(width, 420);
  const format = y.format || number;
  const marks = ticks(y.lo, y.hi, Math.max(3, height / 70));
  const left = 30 + 6.8 * Math.max(...marks.map((v) => format(v).length), 2), bottom = 44;
  const inner = { left, top, right: width - right, bottom: height - bottom };
  const share = x.log ? (v) => Math.log(x.hi / v) / (Math.log(x.hi / x.lo) || 1) : (v) => (v - x.lo) / (x.hi - x.lo || 1);
  const X = (v) => left + share(v) * (inner.right - left);
  const Y = (v) => inner.bottom - ((v - y.lo) / (y.hi - y.lo || 1)) * (inner.bottom - top);
  const out = [];
  for (const v of marks) {
    const at = Y(v).toFixed(1);
    out.push(`<path class="grid" d="M${left} ${at}H${inner.right}"/>` + label(left - 8, at, format(v), `dy="4" ${END}`));
  }
  const room = Math.max(2, (inner.right - left) / 75);
  for (const v of x.log ? logTicks(x.lo, x.hi, room) : ticks(x.lo, x.hi, room)) {
    const at = X(v).toFixed(1);
    out.push(`<path class="frame" d="M${at} ${inner.bottom}v5"/>` + label(at, inner.bottom + 19, number(v), MIDDLE));
  }
  out.push(`<path class="frame" d="M${left} ${top}V${inner.bottom}H${inner.right}"/>`);
  out.push(label((left + inner.right) / 2, height - 6, x.name, `class="title" ${MIDDLE}`));
  out.push(label(-(top + inner.bottom) / 2, 13, y.name, `class="title" transform="rotate(-90)" ${MIDDLE}`));
  return { width, height, inner, X, Y, out };
};
// Puts it into the page, below a legend of [classes, name] pairs.
const show = (box, { width, height, out }, legend = []) => {
  const keys = legend.map(([kind, name]) => `<li><svg viewBox="0 0 22 10" aria-hidden="true"><path class="${kind}" d="M0 5H22"/></svg>${esc(name)}</li>`);
  box.innerHTML = (keys.length ? `<ul class="legend">${keys.join("")}</ul>` : "") +
    `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${esc(box.dataset.label)}">${out.join("")}</svg>`;
  return box.querySelector(":scope > svg");
};
const joined = (points) => points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// A note beside the pointer; nothing hides it.
const tip = (box, at, html) => {
  let note = box.querySelector(".tip");
  if (!html) return note && note.remove();
  if (!note) box.append(Object.assign(document.createElement("div"), { className: "tip" }));
  note = box.querySelector(".tip");
  note.innerHTML = html;
  const room = box.clientWidth - note.offsetWidth;
  note.style.left = `${Math.max(0, Math.min(room, at.x > room - 16 ? at.x - note.offsetWidth - 12 : at.x + 12))}px`;
  note.style.top = `${Math.max(0, at.y - note.offsetHeight - 8)}px`;
};
// Where an event is: in the box (for notes) and in the chart's own units.
const place = (event, box, svg, width) => {
  const b = box.getBoundingClientRect(), s = svg.getBoundingClientRect(), scale = width / s.width;
  return { x: event.clientX - b.left, y: event.clientY - b.top, cx: (event.clientX - s.left) * scale, cy: (event.clientY - s.top) * scale };
};
const nearest = (values, at) => values.reduce((best, v, k) => (Math.abs(v - at) < Math.abs(values[best] - at) ? k : best), 0);

// The number of features above a chart, at a few of the λ.
const counts = (chart, lambda, kept) => {
  const { inner, X, out } = chart;
  let last = -Infinity;
  lambda.forEach((v, k) => {
    if (kept[k] == null || X(v) - last < 46) return;
    last = X(v);
    out.push(label(last.toFixed(1), inner.top - 9, kept[k], MIDDLE));
  });
  out.push(label(inner.left, inner.top - 26, "features kept", 'class="title"'));
};

const drawScore = () => {
  const box = $("score-chart"), c = run.curves;
  if (!box || !c) return;
  const tried = list(c.tried), format = c.percent ? percent : number;
  const lambda = tried.flatMap((t) => t.lambda);
  const main = c.chosen ? c.chosen[0] : 0;
  const error = (t, k) => (t === tried[main] ? t.se[k] || 0 : 0);
  const ends = tried.flatMap((t) => t.mean.flatMap((m, k) => (m == null ? [] : [m - error(t, k), m + error(t, k)])));
  if (!ends.length) return;
  let lo = Math.min(...ends), hi = Math.max(...ends);
  const pad = 0.06 * (hi - lo) || 0.05;
  [lo, hi] = [lo - pad, c.percent ? Math.min(1.005, hi + pad) : hi + pad];
  const chart = frame(box, { height: 360, top: 46, x: { lo: Math.min(...lambda), hi: Math.max(...lambda), log: true, name: "λ (the penalty gets weaker to the right)" }, y: { lo, hi, name: c.measure, format } });
  const { inner, X, Y, out } = chart, legend = [];
  tried.forEach((t, i) => {
    const on = t.lambda.map((v, k) => k).filter((k) => t.mean[k] != null);
    const at = (k, side = 0) => [X(t.lambda[k]), Y(t.mean[k] + side * error(t, k))];
    const hasBand = on.some((k) => error(t, k));
    const band = [...on.map((k) => at(k, 1)), ...on.map((k) => at(k, -1)).reverse()];
    if (hasBand) out.push(`<path class="band f${i % 6}" d="${joined(band)}Z"/>`);
    out.push(`<path class="line c${i % 6}" d="${joined(on.map((k) => at(k)))}"/>`);
    legend.push([`line c${i % 6}`, t.name + (hasBand ? ", ± one standard error" : "")]);
  });
  counts(chart, tried[main].lambda, tried[main].kept);
  if (c.within != null) {
    const at = Y(c.within).toFixed(1);
    out.push(`<path class="diagonal" d="M${inner.left} ${at}H${inner.right}"/>`);
    legend.push(["diagonal", "what the rule gives away"]);
  }
  const dot = ([i, k], name, shape, below) => {
    const t = tried[i];
    if (!t || t.mean[k] == null) return;
    const x = X(t.lambda[k]), y = Y(t.mean[k]), end = x > inner.right - 70;
    out.push(`<path class="dot f${i % 6}" d="M${x} ${y}${shape}Z"/>` + label(end ? x - 10 : x + 10, y + below, name, `class="name" ${end && END}`));
  };
  if (c.chosen) {
    const x = X(tried[main].lambda[c.chosen[1]]).toFixed(1);
    out.push(`<path class="mark" d="M${x} ${inner.top}V${inner.bottom}"/>`);
    if (c.best && c.best.join() !== c.chosen.join()) dot(c.best, "best", "m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0", -10);
    dot(c.chosen, "chosen", "m0-8l8 8l-8 8l-8-8", 20);
  }
  const svg = show(box, chart, legend);
  svg.onpointermove = (event) => {
    const at = place(event, box, svg, chart.width);
    const lines = tried.map((t) => {
      const k = nearest(t.lambda.map(X), at.cx), se = t.se[k] == null ? "" : ` ± ${format(t.se[k])}`;
      const kept = t.kept[k] == null ? "" : `, ${t.kept[k]} features`;
      return `<b>${esc(t.name)}</b>, λ = ${number(t.lambda[k])}<br>${t.mean[k] == null ? "no score" : format(t.mean[k]) + se}${kept}`;
    });
    tip(box, at, lines.join("<br>"));
  };
  svg.onpointerleave = () => tip(box);
};

// ROC and precision-recall, from the counts of false and true positives as the threshold falls.
const drawHeldOut = () => {
  const h = run.held;
  if (!h || !$("roc-chart")) return;
  const [[tn, fp], [fn, tp]] = h.confusion, P = fn + tp, N = tn + fp;
  const one = (id, x, y, of, chance) => {
    const chart = frame($(id), { square: true, x: { lo: 0, hi: 1, name: x }, y: { lo: 0, hi: 1, name: y } });
    const at = ([a, b]) => [chart.X(a), chart.Y(b)], [cx, cy] = at(of([fp, tp]));
    const points = list(h.curve).filter(([f, t]) => f + t || id === "roc-chart").map((c) => at(of(c)));
    chart.out.push(`<path class="diagonal" d="${joined(chance.map(at))}"/><path class="line c0" d="${joined(points)}"/>`);
    if (tp + fp) chart.out.push(`<circle class="dot f1" cx="${cx}" cy="${cy}" r="4.5"/>`);
    show($(id), chart, [["line c0", "held-out rows"], ["diagonal", "chance"], ["line c1", "decision at 0"]]);
  };
  const share = P / (P + N);
  one("roc-chart", "false positive rate", "true positive rate", ([f, t]) => [f / N, t / P], [[0, 0], [1, 1]]);
  one("pr-chart", "recall", "precision", ([f, t]) => [t / P, t / (f + t)], [[0, share], [1, share]]);
};

// ---- The coefficient path ----

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
// Differences as zigzag numbers in base 32, the lowest digit first; 32 is added where more digits follow.
const decode = (code, start, count) => {
  const values = new Int32Array(count);
  let value = 0, rest = 0, shift = 0, k = start;
  for (const letter of code) {
    const digit = LETTERS.indexOf(letter);
    rest |= (digit & 31) << shift;
    shift += 5;
    if (digit < 32) {
      value += (rest >>> 1) ^ -(rest & 1);
      if (k < count) values[k++] = value;
      rest = shift = 0;
    }
  }
  return values;
};
const p = run.path;
const table = $("features");
const told = new Map([...(table?.tBodies[0].rows ?? [])].map((row) => [row.dataset.f, row.cells[0].textContent.trim()]));
// One object for each feature, the largest coefficient first. Names that the table has are there alone.
const features = !p ? [] : list(p.feature).map((id, i) => ({
  id, name: (p.names && (p.names[i] || told.get(String(id)))) || `feature ${id}`, values: decode(p.code[i], p.start[i], p.lambda.length),
}));
const byId = new Map(features.map((f) => [String(f.id), f]));
const pins = new Map(); // id → number of a colour
let chart = null, cursor = { k: 0, i: 0 };

// Only where a line leaves 0: from the zero before to the zero after.
const lineOf = (f) => {
  const { X, Y } = chart, v = f.values;
  let text = "", open = false;
  for (let k = 0; k < v.length; k++) {
    const on = v[k] || (k && v[k - 1]) || v[k + 1];
    if (on) text += `${open ? "L" : "M"}${chart.xs[k]} ${Y(v[k] * p.step).toFixed(1)}`;
    open = Boolean(on);
  }
  return text;
};
const drawPath = () => {
  const box = $("path-chart");
  if (!box || !features.length) return;
  let lo = 0, hi = 0;
  for (const f of features) for (const v of f.values) { if (v < lo) lo = v; if (v > hi) hi = v; }
  const pad = 0.03 * (hi - lo), wide = box.clientWidth > 640;
  const last = p.lambda[p.lambda.length - 1];
  chart = frame(box, { height: wide ? 480 : 380, top: 46, right: wide ? 130 : 14,
    x: { lo: last, hi: p.lambda[0], log: true, name: "λ (the penalty gets weaker to the right)" },
    y: { lo: (lo - pad) * p.step, hi: (hi + pad) * p.step, name: p.unit } });
  const { inner, X, Y, out } = chart;
  chart.xs = p.lambda.map((v) => X(v).toFixed(1));
  counts(chart, p.lambda, p.lambda.map((_, k) => features.reduce((sum, f) => sum + (f.values[k] !== 0), 0) + (p.left_out && k ? "+" : "")));
  out.push(`<path class="frame" d="M${inner.left} ${Y(0).toFixed(1)}H${inner.right}"/>`);
  // Features of the model are coloured by their sign at the chosen λ; without one, 30 by their last coefficient. The
  // largest 40 stand out, the others fade the more the more there are.
  const at = p.chosen ?? p.lambda.length - 1, most = p.chosen == null ? 30 : Infinity;
  const groups = new Map(["many", "line c0 thin", "line c1 thin", "line c0", "line c1"].map((kind) => [kind, []]));
  let coloured = 0;
  for (const f of features) {
    const v = f.values[at], kind = v && coloured < most ? `line c${v > 0 ? 0 : 1}${coloured++ < 40 ? "" : " thin"}` : "many";
    groups.get(kind).push(lineOf(f));
  }
  for (const [kind, lines] of groups) {
    const opacity = /^line c.$/.test(kind) ? 1 : Math.max(0.15, Math.min(0.8, 4 / Math.sqrt(lines.length || 1)));
    out.push(`<path class="${kind}" opacity="${opacity}" d="${lines.join("")}"/>`);
  }
  if (p.chosen != null) {
    const x = chart.xs[p.chosen];
    out.push(`<path class="mark" d="M${x} ${inner.top}V${inner.bottom}"/>` + label(x, inner.bottom - 6, "chosen", x > inner.right - 60 ? `class="name" dx="-5" ${END}` : 'class="name" dx="5"'));
  }
  if (wide) names(at);
  out.push('<g class="pinned-lines"></g><path class="over" d=""/>');
  const where = p.chosen == null ? "at the last λ" : "at the chosen λ";
  const others = p.chosen == null ? "others" : "not in the model";
  const legend = [["line c0", `positive ${where}`], ["line c1", `negative ${where}`], ["many", others]];
  const svg = (chart.svg = show(box, chart, legend.filter(([kind]) => groups.get(kind).length)));
  Object.assign(svg, { onpointermove: pointed, onpointerleave: () => point(null), onclick: clicked });
  drawPins();
};
// Names of the largest coefficients at the right end, as many as find room.
const names = (at) => {
  const { inner, Y, out } = chart, end = p.lambda.length - 1;
  const largest = features.filter((f) => f.values[end]).sort((a, b) => Math.abs(b.values[end]) - Math.abs(a.values[end]));
  const taken = [];
  for (const f of largest.slice(0, 40)) {
    const y = Y(f.values[end] * p.step);
    if (taken.length >= 14 || taken.some((other) => Math.abs(other - y) < 13)) continue;
    taken.push(y);
    const name = f.name.length > 18 ? `${f.name.slice(0, 17)}…` : f.name;
    const kind = f.values[at] ? (f.values[at] > 0 ? "f0" : "f1") : "";
    out.push(label(inner.right + 7, y.toFixed(1), name, `class="${kind}" dy="4"`));
  }
};
// The line at a point: the one whose height there is nearest, if it is near.
const find = (cx, cy) => {
  const k = nearest(chart.xs.map(Number), cx), { Y } = chart;
  let best = null, distance = 14;
  for (const f of features) {
    if (!f.values[k]) continue;
    const d = Math.abs(Y(f.values[k] * p.step) - cy);
    if (d < distance) [best, distance] = [f, d];
  }
  return [best, k];
};
// Shows which line is meant.
const point = (f, k, at) => {
  chart.svg.querySelector(".over").setAttribute("d", f ? lineOf(f) : "");
  chart.svg.style.cursor = f ? "pointer" : "";
  const told = f && `<b>${esc(f.name)}</b><br>${number(f.values[k] * p.step)} at λ = ${number(p.lambda[k])}`;
  tip($("path-chart"), at, told);
};
const pointed = (event) => {
  const at = place(event, $("path-chart"), chart.svg, chart.width);
  const [f, k] = find(at.cx, at.cy);
  point(f, k, at);
};
const clicked = (event) => {
  const at = place(event, $("path-chart"), chart.svg, chart.width);
  const [f] = find(at.cx, at.cy);
  if (f) pin(f, true);
};
// Arrows, Enter and Escape on the chart: the same without a pointer.
const keyed = (event) => {
  const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (event.key === "Escape") return point(null);
  if (!step && event.key !== "Enter") return;
  event.preventDefault();
  const within = (x, count) => Math.max(0, Math.min(count - 1, x));
  if (step) cursor = { k: within(cursor.k + step[0], p.lambda.length), i: within(cursor.i + step[1], features.length) };
  const f = features[cursor.i], scale = chart.svg.clientWidth / chart.width;
  point(f, cursor.k, { x: chart.xs[cursor.k] * scale, y: chart.Y(f.values[cursor.k] * p.step) * scale });
  $("said").textContent = `${f.name}: ${number(f.values[cursor.k] * p.step)} at λ = ${number(p.lambda[cursor.k])}`;
  if (event.key === "Enter") pin(f, true);
};

// Pins a feature, or takes the pin off: its line, its row and its name below the chart go together.
const pin = (f, reveal) => {
  const id = String(f.id);
  if (!pins.delete(id)) {
    const used = new Set(pins.values());
    pins.set(id, [2, 3, 4, 5, 0, 1].find((c) => !used.has(c)) ?? pins.size % 6);
    if (reveal && rowOf.has(id)) showRow(rowOf.get(id));
  }
  drawPins();
};
// Scrolls the table, never the page.
const showRow = (row) => {
  const box = row.closest(".scroll");
  box.scrollTop = row.offsetTop - box.clientHeight / 2;
};
const drawPins = () => {
  const drawn = chart && chart.svg && chart.svg.querySelector(".pinned-lines");
  if (drawn) {
    drawn.innerHTML = [...pins].map(([id, c]) => {
      const f = byId.get(id), v = f.values[f.values.length - 1];
      return `<path class="line c${c}" style="stroke-width:3.5" data-f="${esc(id)}" d="${lineOf(f)}"/>` +
        label(chart.inner.right - 4, chart.Y(v * p.step) - 6, f.name, `class="name" ${END}`);
    }).join("");
  }
  if ($("pins")) {
    $("pins").innerHTML = [...pins].map(([id, c]) => `<li><button type="button" class="p${c}" data-f="${esc(id)}" title="Take the pin off">${esc(byId.get(id).name)} ×</button></li>`).join("");
    $("pins").onclick = ({ target }) => target.dataset.f && pin(byId.get(target.dataset.f));
  }
  for (const [id, row] of rowOf) {
    const c = pins.get(id);
    if (row.classList.contains("pinned") === (c !== undefined)) continue;
    row.className = c === undefined ? "" : `pinned p${c}`;
    row.querySelector("button")?.setAttribute("aria-pressed", c !== undefined);
  }
};

// ---- The table ----

const rowOf = new Map(); // id → row
const value = (cell) => {
  const text = cell.textContent.trim().replace(/−/g, "-");
  if (text === "–") return 0;
  const x = parseFloat(text);
  return Number.isNaN(x) ? (text ? text : -Infinity) : x;
};
const setUpTable = () => {
  if (!table) return;
  const body = table.tBodies[0], rows = [...body.rows], heads = [...table.tHead.rows[0].cells];
  const shares = heads.findIndex((head) => head.className === "f");
  table.closest("section").classList.toggle("long", rows.length > 200);
  for (const row of rows) {
    rowOf.set(row.dataset.f, row);
    const share = row.cells[shares];
    if (share) share.className = "f";
    if (share) share.style.setProperty("--v", parseFloat(share.textContent) / 100 || 0);
    const f = byId.get(row.dataset.f), cell = row.cells[0];
    if (!f) continue;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: cell.textContent });
    button.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-label", `Pin ${f.name} in the chart`);
    cell.replaceChildren(button);
    row.style.cursor = "pointer";
    row.onclick = () => String(getSelection()) || pin(f);
    row.onpointerenter = () => chart && chart.svg.querySelector(".over").setAttribute("d", lineOf(f));
    row.onpointerleave = () => chart && point(null);
  }
  // A click sorts: numbers from the largest, names from A; then the other way round; then as it was.
  heads.forEach((head, column) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: head.textContent });
    head.replaceChildren(button);
    const orders = head.classList.contains("t") || head.classList.contains("n") ? ["ascending", "descending"] : ["descending", "ascending"];
    button.onclick = () => {
      const order = orders[orders.indexOf(head.getAttribute("aria-sort")) + 1];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      if (order) head.setAttribute("aria-sort", order);
      const keyed = rows.map((row) => [head.classList.contains("t") ? row.cells[column].textContent : value(row.cells[column]), row]);
      const compare = ([a], [b]) => (typeof a === "number" && typeof b === "number" ? (a === b ? 0 : a - b) : String(a).localeCompare(String(b)));
      if (order) keyed.sort(order === "ascending" ? compare : (a, b) => compare(b, a));
      body.append(...keyed.map(([, row]) => row));
    };
  });
  const texts = rows.map((row) => `${row.dataset.f} ${row.cells[0].textContent}`.toLowerCase());
  $("search").oninput = () => {
    const wanted = $("search").value.trim().toLowerCase();
    let shown = 0;
    rows.forEach((row, k) => { row.hidden = !texts[k].includes(wanted); shown += !row.hidden; });
    $("shown").textContent = wanted ? `${shown} of ${rows.length}` : "";
  };
};

// ---- Begin ----

const draw = () => { drawScore(); drawPath(); drawHeldOut(); };
if (features.length) {
  const box = $("path-chart");
  Object.assign(box, { tabIndex: 0, onkeydown: keyed, onblur: () => point(null) });
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", `${box.dataset.label}: arrow keys move, Enter pins`);
  cursor.k = p.chosen ?? p.lambda.length - 1;
}
setUpTable();
draw();
let width = innerWidth, timer = 0;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(timer);
  timer = setTimeout(draw, 100);
});
})();
