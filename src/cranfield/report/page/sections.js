// @ts-check
// Whatever else was computed: tables, points and lines.
import { addressOf } from "./address.js";
import { collectionNames, report, topicNamed } from "./data.js";
import { element, named, prose, readable, told } from "./dom.js";
import { decimal, digitsFor } from "./numbers.js";
import { interval, lines, scatter } from "./pictures.js";
import { table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./data.js").Cell} Cell */

/** @param {string} id a topic, with the way to its lists */
function topicLink(id) {
  return topicNamed(id) === undefined ? named(id) : element("a", { href: addressOf("topic", id, {}) }, named(id));
}

/** @param {string} name a collection of a suite, with the way to its report */
function collectionLink(name) {
  return collectionNames.includes(name) ? element("a", { href: `?collection=${encodeURIComponent(name)}` }, named(name)) : named(name);
}

/** @type {Record<string, (name: string) => import("./dom.js").Child>} */
const LINKS = { topic: topicLink, collection: collectionLink };

/**
 * A column of intervals, drawn from three others: the middle, the low and the high end.
 * @param {Cell[][]} rows
 * @param {[number, number, number]} places
 * @returns {import("./tables.js").Column<Cell[]>}
 */
function drawnColumn(rows, places) {
  const known = rows.flatMap((row) => places.map((i) => row[i])).filter((x) => typeof x === "number");
  const ends = /** @type {[number, number]} */ ([Math.min(...known), Math.max(...known)]);
  const value = (/** @type {Cell} */ cell) => (typeof cell === "number" ? cell : null);
  return {
    title: `${decimal(ends[0], 2)} to ${decimal(ends[1], 2)}`, kind: "drawn",
    cell: (row) => interval({ mean: value(row[places[0]]), low: value(row[places[1]]), high: value(row[places[2]]), ends, best: false }),
  };
}

/**
 * @param {Place} place
 * @param {import("./data.js").SectionTable} shown
 * @param {number} number
 */
function sectionTable(place, shown, number) {
  /** @type {import("./tables.js").Column<Cell[]>[]} */
  const columns = shown.columns.map((title, i) => {
    const cells = shown.rows.map((row) => row[i]).filter((cell) => cell !== null);
    const isNumber = cells.length > 0 && cells.every((cell) => typeof cell === "number");
    const digits = cells.every(Number.isInteger) ? 0 : digitsFor(cells.map(Number));
    return {
      title: readable(title), key: String(i), number: isNumber, head: i === 0, kind: i === 0 ? "sticky" : undefined, value: (row) => row[i],
      text: (row) => { const cell = row[i]; return typeof cell === "number" ? decimal(cell, digits) : cell === null ? "–" : String(cell); },
      cell: (row) => { const cell = row[i]; return typeof cell === "number" ? decimal(cell, digits) : cell === null ? "–" : (LINKS[title] ?? named)(String(cell)); },
    };
  });
  if (shown.drawn && shown.rows.length) columns.push(drawnColumn(shown.rows, shown.drawn));
  return element(
    "section", {}, shown.title ? element("h2", {}, told(shown.title)) : null,
    table(place, { name: String(number), what: prose(shown.title) || "Table", columns, rows: shown.rows, size: 50, note: shown.note ? told(shown.note) : null }),
  );
}

/** @param {Place} place */
export function section(place) {
  const shown = report.sections.find(({ id }) => id === place.id);
  if (!shown) return [element("h1", {}, "No such section"), element("p", {}, "This report has no section ", named(place.id), ".")];
  return [
    element("h1", {}, told(shown.title)),
    shown.text ? element("p", { class: "long" }, shown.text) : null,
    shown.scatter ? scatter(shown.scatter, prose(shown.title)) : null,
    shown.lines ? lines(shown.lines, prose(shown.title)) : null,
    ...shown.tables.map((found, i) => sectionTable(place, found, i)),
  ];
}
