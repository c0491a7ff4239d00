// @ts-check
// Pictures: bars, intervals, points and lines, drawn as SVG.
import { drawn, element, prose, readable, shortened } from "./dom.js";
import { decimal, signed, ticks } from "./numbers.js";

const COLOURS = 8; // as many as page.css has, told apart also by shapes and dashes
const DASHES = ["", "6 3", "2 2", "8 3 2 3", "4 4", "10 3", "1 3", "6 2 1 2"];

/**
 * Where a value stands between two ends.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 */
function scale(low, high, from, to) {
  const width = high > low ? high - low : 1;
  return (/** @type {number} */ value) => from + ((value - low) / width) * (to - from);
}

/**
 * The width of a picture, so that its letters are as large as others.
 * @param {number} most
 */
function roomFor(most) {
  const beside = document.documentElement.clientWidth > 768 ? 48 : 30;
  return Math.min(most, Math.max(document.documentElement.clientWidth - beside, 280));
}

/** @param {number} place */
function at(place) {
  return place.toFixed(1);
}

/**
 * A mean with its interval, one of many on the same scale.
 * @param {{ mean: number | null, low: number | null, high: number | null, ends: [number, number], best: boolean }} shown
 */
export function interval({ mean, low, high, ends, best }) {
  const x = scale(ends[0], ends[1], 6, 154);
  return drawn(
    "svg",
    { class: best ? "interval best" : "interval", viewBox: "0 0 160 18", width: 160, height: 18, "aria-hidden": "true" },
    drawn("line", { class: "track", x1: 6, x2: 154, y1: 9, y2: 9 }),
    low !== null && high !== null && drawn("rect", { class: "range", x: at(x(low)), width: at(Math.max(x(high) - x(low), 1)), y: 5, height: 8, rx: 2 }),
    mean !== null && drawn("circle", { class: "mean", cx: at(x(mean)), cy: 9, r: 4 }),
  );
}

/**
 * A difference as a bar from the middle of its cell.
 * @param {number | null} value
 * @param {number} most
 * @param {boolean} good whether the first run is better
 */
export function bar(value, most, good) {
  const x = scale(-most, most, 0, 80);
  const to = value === null ? 40 : x(value);
  return drawn(
    "svg",
    { class: "bar", viewBox: "0 0 80 12", width: 80, height: 12, "aria-hidden": "true" },
    drawn("line", { class: "track", x1: 40, x2: 40, y1: 0, y2: 12 }),
    value !== null && drawn("rect", { class: good ? "better" : "worse", x: at(Math.min(40, to)), width: at(Math.abs(to - 40)), y: 2, height: 8 }),
  );
}

/**
 * The differences of two runs, topic by topic, sorted: the largest loss is left.
 * @param {{ label: string, value: number, good: boolean, address: string }[]} items
 * @param {string} what
 * @param {number} digits
 */
export function differences(items, what, digits) {
  const [most, height, left] = [roomFor(1200), 180, 48];
  const values = items.map((item) => item.value);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  const y = scale(low, high, height - 12, 12);
  const step = Math.min((most - left - 4) / Math.max(items.length, 1), 26);
  const width = Math.max(left + 4 + items.length * step, Math.min(most, 240));
  const bars = items.map((item, i) => {
    const shown = drawn(
      "a",
      { href: item.address, tabindex: -1 },
      drawn("title", {}, `${shortened(item.label)}: ${signed(item.value, digits)}`),
      drawn("rect", { class: "hit", x: at(left + i * step), width: at(step), y: 0, height }),
      drawn("rect", {
        class: item.good ? "better" : "worse",
        x: at(left + i * step + Math.min(step * 0.12, 1)),
        width: at(Math.max(step * 0.76, step - 2, 0.8)),
        y: at(Math.min(y(item.value), y(0))),
        height: at(Math.max(Math.abs(y(item.value) - y(0)), 1)),
      }),
    );
    return shown;
  });
  const axis = ticks(low, high, 5).map((tick) =>
    drawn(
      "g",
      {},
      drawn("line", { class: tick === 0 ? "zero" : "grid", x1: left, x2: width, y1: at(y(tick)), y2: at(y(tick)) }),
      drawn("text", { x: left - 6, y: at(y(tick) + 4), "text-anchor": "end" }, signed(tick, Math.min(digits, 2))),
    ),
  );
  // The table below has the same links for the keyboard.
  return element(
    "figure",
    { class: "picture wide" },
    drawn("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" }, ...axis, ...bars),
    element("figcaption", {}, what),
  );
}

/**
 * The ends of an axis, with a little room.
 * @param {number[]} values
 * @param {number} [share] of it
 * @returns {[number, number]}
 */
function endsOf(values, share = 0.06) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = high > low ? (high - low) * share : Math.abs(high) * 0.06 || 1;
  return [low >= 0 && low - room < 0 ? 0 : low - room, high + room];
}

/**
 * Two axes, and what is drawn between them.
 * @param {{ x: string, y: string, xs: [number, number], ys: [number, number], what: string }} axes
 * @param {(x: (value: number) => number, y: (value: number) => number) => SVGElement[]} marks
 */
function plane(axes, marks) {
  const [width, height, left, bottom] = [roomFor(680), 380, 62, 46];
  const [xEnds, yEnds] = [axes.xs, axes.ys];
  const x = scale(xEnds[0], xEnds[1], left, width - 16);
  const y = scale(yEnds[0], yEnds[1], height - bottom, 12);
  const shown = (/** @type {number} */ tick) => String(tick).replace("-", "−");
  return drawn(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": axes.what },
    ...ticks(...yEnds).map((tick) =>
      drawn(
        "g",
        {},
        drawn("line", { class: "grid", x1: left, x2: width - 16, y1: at(y(tick)), y2: at(y(tick)) }),
        drawn("text", { x: left - 8, y: at(y(tick) + 4), "text-anchor": "end" }, shown(tick)),
      ),
    ),
    ...ticks(...xEnds).map((tick) =>
      drawn("text", { x: at(x(tick)), y: height - bottom + 18, "text-anchor": "middle" }, shown(tick)),
    ),
    drawn("line", { class: "zero", x1: left, x2: width - 16, y1: height - bottom, y2: height - bottom }),
    drawn("text", { class: "axis", x: (left + width) / 2, y: height - 6, "text-anchor": "middle" }, prose(axes.x)),
    drawn("text", { class: "axis", transform: `translate(14 ${(height - bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, prose(axes.y)),
    ...marks(x, y),
  );
}

/**
 * @param {NonNullable<import("./data.js").Section["scatter"]>} spec
 * @param {string} title
 */
export function scatter(spec, title) {
  /** @type {{ name: string, x: number, y: number }[]} */
  const points = [];
  for (const { name, x, y } of spec.points) if (x !== null && y !== null) points.push({ name, x, y });
  if (points.length === 0) return null;
  const axes = { x: spec.x, y: spec.y, xs: endsOf(points.map((p) => p.x)), ys: endsOf(points.map((p) => p.y)), what: title };
  const axesMiddle = roomFor(680) * 0.75; // from here on names are to the left of their points
  const picture = plane(axes, (x, y) =>
    points.map((point) =>
      drawn(
        "g",
        { class: "point" },
        drawn("title", {}, `${readable(point.name)}: ${decimal(point.x)}, ${decimal(point.y)}`),
        drawn("circle", { cx: at(x(point.x)), cy: at(y(point.y)), r: 5 }),
        points.length <= 25 && drawn("text", { x: at(x(point.x) + (x(point.x) > axesMiddle ? -9 : 9)), y: at(y(point.y) + 4), "text-anchor": x(point.x) > axesMiddle ? "end" : "start" }, shortened(point.name, 24)),
      ),
    ),
  );
  return element("figure", { class: "picture" }, picture);
}

/**
 * @param {NonNullable<import("./data.js").Section["lines"]>} spec
 * @param {string} title
 */
export function lines(spec, title) {
  /** @type {{ name: string, points: [number, number][] }[]} */
  const known = spec.lines.map(({ name, points }) => ({
    name,
    points: points.flatMap(([x, y]) => (y === null ? [] : [/** @type {[number, number]} */ ([x, y])])),
  }));
  const all = known.flatMap((line) => line.points);
  if (all.length === 0) return null;
  const axes = { x: spec.x, y: spec.y, xs: endsOf(all.map((p) => p[0]), 0), ys: endsOf(all.map((p) => p[1])), what: title };
  const look = (/** @type {number} */ i) => ({ class: `line c${i % COLOURS}`, "stroke-dasharray": DASHES[(i + Math.floor(i / COLOURS)) % DASHES.length] });
  const picture = plane(axes, (x, y) =>
    known.map((line, i) =>
      drawn(
        "polyline",
        { ...look(i), points: line.points.map((p) => `${at(x(p[0]))},${at(y(p[1]))}`).join(" ") },
        drawn("title", {}, readable(line.name)),
      ),
    ),
  );
  const legend = known.map((line, i) =>
    element(
      "li",
      {},
      drawn("svg", { width: 34, height: 10, "aria-hidden": "true" }, drawn("line", { ...look(i), x1: 1, x2: 33, y1: 5, y2: 5 })),
      " ",
      element("bdi", {}, shortened(line.name, 40)),
    ),
  );
  return element("figure", { class: "picture" }, picture, element("ul", { class: "legend" }, ...legend));
}
