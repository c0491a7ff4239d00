// @ts-check
// Runs, two at a time: how likely chance makes such a difference, how large it is, what it could be.
import { changedAddress } from "./address.js";
import { choice, chosenAt, measureChoice, runChoice, topicsAddress, unknownNote } from "./chosen.js";
import { bestFirst, endsOfPair, ofPair, report } from "./data.js";
import { element, named, prose, readable, shortened } from "./dom.js";
import { decimal, digitsFor, probability, signed } from "./numbers.js";
import { table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./data.js").Pairs} Pairs */

const MOST = 25; // runs of the matrix; any pair is in the table below it

/** @param {Pairs} pairs */
function alphaOf(pairs) {
  return pairs.alpha ?? 0.05;
}

/**
 * @param {Pairs} pairs
 * @param {number} i
 * @param {number} j
 */
function isSignificant(pairs, i, j) {
  const p = ofPair(pairs.p, i, j, 1);
  return p !== null && p <= alphaOf(pairs);
}

/**
 * What a matrix can show.
 * @param {Pairs} pairs
 * @param {number} digits
 */
function kinds(pairs, digits) {
  return {
    p: { name: "p", value: (/** @type {number} */ i, /** @type {number} */ j) => ofPair(pairs.p, i, j, 1), text: (/** @type {number | null} */ v) => probability(v, pairs.least_p) },
    effect: { name: pairs.effect_name, value: (/** @type {number} */ i, /** @type {number} */ j) => ofPair(pairs.effect, i, j, -1), text: (/** @type {number | null} */ v) => signed(v) },
    difference: { name: "difference of means", value: (/** @type {number} */ i, /** @type {number} */ j) => ofPair(pairs.difference, i, j, -1), text: (/** @type {number | null} */ v) => signed(v, digits) },
  };
}

/**
 * @param {Place} place
 * @param {Pairs} pairs
 * @param {number} m
 */
function matrix(place, pairs, m) {
  const digits = digitsFor(report.board[m].means);
  const all = kinds(pairs, digits);
  const asked = /** @type {keyof typeof all} */ (place.parameters.show ?? "p");
  const show = asked in all ? asked : "p";
  const kind = all[show];
  const order = bestFirst(m);
  const runs = order.slice(0, MOST);
  const significant = (/** @type {number} */ i, /** @type {number} */ j) => isSignificant(pairs, i, j);
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Run", head: true, kind: "sticky", value: (i) => report.runs[i].name, cell: (i) => named(report.runs[i].name, 28) },
    ...runs.map((j) => ({
      title: shortened(report.runs[j].name, 16), hint: readable(report.runs[j].name), number: true,
      value: (/** @type {number} */ i) => kind.value(i, j),
      text: (/** @type {number} */ i) => (i === j ? "" : kind.text(kind.value(i, j)) + (significant(i, j) ? "*" : "")),
      cell: (/** @type {number} */ i) => i === j ? element("span", { class: "muted", "aria-hidden": "true" }, "·")
        : element("a", { href: topicsAddress(m, i, j), class: significant(i, j) ? "significant" : null }, kind.text(kind.value(i, j)), significant(i, j) ? "*" : ""),
    })),
  ];
  const options = Object.entries(all).map(([value, { name }]) => ({ value, text: name }));
  const note = `Row against column, the best first. *: p ≤ ${alphaOf(pairs)} (${pairs.test}).` + (order.length > MOST ? ` These are the ${MOST} best of ${order.length} runs; below is any run against all others.` : "");
  return [
    element("form", { class: "choices" }, measureChoice(m), choice("Show", "show", options, show)),
    table(place, { name: "matrix", what: "Pairs of runs", columns, rows: runs, note: prose(note), kind: "matrix" }),
  ];
}

/**
 * @param {Place} place
 * @param {Pairs} pairs
 * @param {number} m
 * @param {number} a
 */
function against(place, pairs, m, a) {
  const digits = digitsFor(report.board[m].means);
  const bounded = pairs.bound_low !== null && pairs.bound_high !== null;
  const bounds = (/** @type {number} */ r) => endsOfPair(pairs.bound_low, pairs.bound_high, a, r);
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Run", key: "run", head: true, kind: "sticky", value: (r) => report.runs[r].name, cell: (r) => element("a", { href: topicsAddress(m, a, r) }, named(report.runs[r].name, 40)) },
    { title: "Mean", key: "mean", number: true, value: (r) => report.board[m].means[r], text: (r) => decimal(report.board[m].means[r], digits) },
    { title: "Difference", key: "difference", number: true, hint: "Mean of A minus mean of the other", value: (r) => ofPair(pairs.difference, a, r, -1), text: (r) => signed(ofPair(pairs.difference, a, r, -1), digits) },
    { title: "Effect", hint: prose(pairs.effect_name), key: "effect", number: true, value: (r) => ofPair(pairs.effect, a, r, -1), text: (r) => signed(ofPair(pairs.effect, a, r, -1)) },
    {
      title: "p", key: "p", number: true, smallest: true, value: (r) => ofPair(pairs.p, a, r, 1),
      text: (r) => probability(ofPair(pairs.p, a, r, 1), pairs.least_p) + (isSignificant(pairs, a, r) ? "*" : ""),
    },
  ];
  if (bounded) {
    columns.push({
      title: "Unjudged allow", key: "allow", number: true, hint: "Bounds of the difference over all labels of unjudged documents. For AP, GMAP, ERR and iRBU they are outer bounds",
      value: (r) => bounds(r)[0], also: [{ title: "Unjudged allow at most", value: (r) => bounds(r)[1] }],
      text: (r) => { const [low, high] = bounds(r); return low === null && high === null ? "–" : `[${signed(low, digits)}, ${signed(high, digits)}]`; },
      cell: (r) => {
        const [low, high] = bounds(r);
        const open = low !== null && high !== null && low < 0 && high > 0;
        return element("span", { class: open ? "open" : null }, low === null && high === null ? "–" : `[${signed(low, digits)}, ${signed(high, digits)}]`, open ? " ±" : "");
      },
    });
  }
  const note = `The difference is the mean of A minus that of the other run; effect: ${prose(pairs.effect_name)}.` + (bounded ? " Unjudged allow: bounds of the difference, whatever unjudged documents are (outer bounds for AP, GMAP, ERR and iRBU); ± where they decide which run is better." : "");
  return element(
    "section", {}, element("h2", {}, "A run against all others"),
    element("form", { class: "choices" }, runChoice("a", a)),
    table(place, { name: "others", what: "A run against all others", columns, rows: bestFirst(m).filter((r) => r !== a), size: 50, note }),
  );
}

/** @param {Place} place */
export function pairsOfRuns(place) {
  const { a, m, unknown } = chosenAt(place);
  const pairs = report.pairs[m];
  const head = [element("h1", {}, "Pairs of runs"), unknownNote(unknown)];
  if (!pairs) {
    const others = report.measures.flatMap(({ name }, i) => (report.pairs[i] ? [element("a", { href: changedAddress(place, { m: name }) }, name), " "] : []));
    return [...head, element("p", { class: "empty" }, `There is no pair to compare by ${report.measures[m].name}. `, ...others)];
  }
  return [...head, ...matrix(place, pairs, m), against(place, pairs, m, a)];
}
