/* base.js - what both pages draw with: texts, colours, canvases, and how calls are unpacked. A page
 * has D, the figures, and T, the time its axis shows. */
const began = performance.now(), root = document.documentElement;
window.addEventListener("error", e => root.dataset.error = e.message);
window.addEventListener("unhandledrejection", e => root.dataset.error = String(e.reason));
const $ = id => document.getElementById(id);

/* ---- texts: a number and its unit are never on two lines ---- */
const esc = s => String(s).replace(/[&<>"']/g, c => "&#" + c.charCodeAt(0) + ";");
const three = x => x >= 100 ? x.toFixed(0) : x >= 10 ? x.toFixed(1) : x.toFixed(2);
const time = ns => ns >= 999.5e6 ? three(ns / 1e9) + "\u00a0s" : ns >= 999.5e3 ? three(ns / 1e6) + "\u00a0ms"
  : ns >= 999.5 ? three(ns / 1e3) + "\u00a0µs" : Math.round(ns) + "\u00a0ns";
const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];
function bytes(b) {
  let k = 0;
  for (; b >= 1023.5 && k < 4; k++) b /= 1024;
  return (k ? three(b) : Math.round(b)) + "\u00a0" + UNITS[k];
}
const count = n => String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const percent = (x, d = 0) => (100 * x).toFixed(d) + "\u00a0%";
const some = (n, word) => count(n) + " " + word + (n === 1 ? "" : "s");

/* ---- colours ---- */
const dark = () => root.classList.contains("dark");
let cache = {};
const css = name => cache[name] ??= getComputedStyle(root).getPropertyValue(name).trim();
const rgb = c => c[0] === "#" ? [1, 3, 5].map(i => parseInt(c.slice(i, i + 2), 16)) : c.match(/\d+/g).slice(0, 3).map(Number);
function luminance(c) {
  const [r, g, b] = rgb(c).map(v => (v /= 255) < .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
}
const on = c => luminance(c) > .179 ? "#000" : "#fff"; /* what can be read on it: contrast 4.5 */
const subColour = i => css("--f" + Math.min(i, 7));
function scale(f) {
  const p = rgb(css("--low")), q = rgb(css("--high")), x = Math.max(0, Math.min(1, f));
  return "rgb(" + p.map((v, i) => Math.round(v + (q[i] - v) * x)).join(",") + ")";
}
/* Of a node: neighbours in number are far apart in hue. */
function nodeColour(i) {
  if (i < 0) return css("--lane");
  const h = (i * 137.508 + 214) % 360, l = (dark() ? .46 : .68) + (i % 3 - 1) * .05, s = dark() ? .4 : .55;
  const a = s * Math.min(l, 1 - l), f = n => { const k = (n + h / 30) % 12; return Math.round(255 * (l - a * Math.max(-1, Math.min(k - 3, 9 - k, 1)))); };
  return "rgb(" + f(0) + "," + f(8) + "," + f(4) + ")";
}

/* ---- tooltip ---- */
const tip = $("tip");
function showTip(e, html) {
  tip.innerHTML = html;
  tip.style.opacity = 1;
  const r = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(e.clientX + 14, innerWidth - r.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(e.clientY + 16, innerHeight - r.height - 8)) + "px";
}
const hideTip = () => { tip.style.opacity = 0; };

/* ---- canvases ---- */
const FONT = '12px system-ui,-apple-system,"Segoe UI","DejaVu Sans",sans-serif';
function fit(c, height) {
  const ratio = window.devicePixelRatio || 1, width = c.clientWidth;
  c.style.height = height + "px";
  c.width = Math.round(width * ratio);
  c.height = Math.round(height * ratio);
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.font = FONT;
  g.textBaseline = "middle";
  return [g, width];
}
function ticks(a, b, n) {
  const raw = (b - a) / Math.max(1, n) || 1, m = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(k => k * m).find(k => k >= raw * .999), out = [];
  for (let k = Math.ceil(a / step - 1e-9); k * step <= b * (1 + 1e-9); k++) out.push(k * step);
  return [out, step];
}
function tickTime(v, step) {
  const [one, unit] = T >= 1e9 ? [1e9, "s"] : T >= 1e6 ? [1e6, "ms"] : [1e3, "µs"];
  return v === 0 ? "0" : (v / one).toFixed(Math.max(0, Math.ceil(-Math.log10(step / one) - 1e-9))) + " " + unit;
}

/* ---- tables ---- */
function table(id, heads, rows) {
  $(id).innerHTML = "<thead><tr>" + heads.map(h => '<th scope="col">' + h + "</th>").join("") + "</tr></thead><tbody>"
    + rows.map(r => "<tr>" + r.map(x => "<td>" + x + "</td>").join("") + "</tr>").join("") + "</tbody>";
}
/* Without the columns in which nothing stands. */
function filledTable(id, heads, rows) {
  const filled = list => list.filter((_, i) => rows.some(r => r[i] !== ""));
  table(id, filled(heads), rows.map(filled));
}

/* ---- bars ---- */
const swatch = p => p.idle ? '<i class="sw idle"></i>' : '<i class="sw" style="background:' + p.colour + '"></i>';
function bar(id, list, total) {
  $(id).innerHTML = list.map(p => "<i " + (p.idle ? 'class="idle" ' : "") + 'style="flex:' + p.ns + " 1 0"
    + (p.idle ? "" : ";background:" + p.colour + ";color:" + on(p.colour)) + '" title="' + esc(p.name) + " " + time(p.ns) + '">'
    + "<span>" + esc(p.name) + "\u00a0" + percent(p.ns / total) + "</span></i>").join("");
  for (const i of $(id).children) if (i.firstChild.offsetWidth > i.clientWidth) i.textContent = "";
  $(id).setAttribute("aria-label", list.map(p => p.name + " " + percent(p.ns / total, 1)).join(", "));
}

/* ---- calls, unpacked ---- */
async function unpack(id) {
  const text = atob($(id).textContent.trim()), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const raw = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Uint8Array(await new Response(raw).arrayBuffer());
}
function decode(u, S, n) { /* S: the functions of the run; n segments */
  let p = 0;
  const num = () => {
    let b = u[p++], x = b & 127, m = 128;
    while (b > 127) { b = u[p++]; x += (b & 127) * m; m *= 128; }
    return x;
  };
  const signed = () => { const x = num(); return x % 2 ? -(x + 1) / 2 : x / 2; };
  const unit = num(), merged = num(), lanes = num(), dims = S.map(num);
  const c = {unit, merged, dims, at: new Uint32Array(lanes + 1), sub: new Uint16Array(n), from: new Float64Array(n), to: new Float64Array(n),
    many: merged ? new Uint32Array(n) : null, ixAt: merged ? null : new Uint32Array(n), ix: []};
  let k = 0;
  if (!merged) c.ix = new Int32Array(S.reduce((s, x, i) => s + x.count * dims[i], 0));
  let ixn = 0;
  for (let lane = 0; lane < lanes; lane++) {
    const m = num(), first = k;
    for (let i = 0; i < m; i++) c.sub[first + i] = num();
    let t = 0;
    for (let i = 0; i < m; i++) c.from[first + i] = signed();
    for (let i = 0; i < m; i++) { t += c.from[first + i]; c.from[first + i] = t * unit; t += num(); c.to[first + i] = t * unit; }
    if (merged) for (let i = 0; i < m; i++) c.many[first + i] = num();
    else {
      const last = dims.map(d => new Array(d).fill(0));
      for (let i = 0; i < m; i++) {
        const s = c.sub[first + i];
        c.ixAt[first + i] = ixn;
        for (let d = 0; d < dims[s]; d++) c.ix[ixn++] = last[s][d] += signed();
      }
    }
    k += m;
    c.at[lane + 1] = k;
  }
  c.path = [];
  for (let i = num(), t = 0; i > 0; i--) { const lane = num(); t += signed(); const a = t * unit; t += num(); c.path.push([lane, a, t * unit]); }
  const cells = num();
  c.owner = Int32Array.from({length: cells}, signed);
  c.moves = [];
  for (let i = num(), t = 0; i > 0; i--) { t += num(); c.moves.push([t * unit, num(), num()]); }
  c.load = Uint8Array.from({length: num()}, num); /* of cells, slice by slice, 0 to 15 */
  c.read = p;
  return c;
}

/* ---- light and dark: `draw` draws all again ---- */
function theme() {
  let kept = null;
  try { kept = localStorage.getItem("luna-report-theme"); } catch (e) { /* a file may have no storage */ }
  const asked = location.hash.match(/light|dark/), want = asked ? asked[0] : kept || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  root.classList.toggle("dark", want === "dark");
  $("theme").onclick = () => {
    root.classList.toggle("dark");
    try { localStorage.setItem("luna-report-theme", dark() ? "dark" : "light"); } catch (e) { /* as above */ }
    draw();
  };
  let before = false;
  addEventListener("beforeprint", () => { before = dark(); root.classList.remove("dark"); draw(); });
  addEventListener("afterprint", () => { root.classList.toggle("dark", before); draw(); });
  let later = 0;
  addEventListener("resize", () => { clearTimeout(later); later = setTimeout(draw, 80); });
}
