// @ts-check
// The first screen: the answer, what could mislead, the leaderboard, the collection at a glance.
import { bestFirst, collectionNames, collectionShown, measureNamed, report, upwards } from "./data.js";
import { topicsAddress } from "./chosen.js";
import { element, heard, named, prose, told } from "./dom.js";
import { decimal, digitsFor } from "./numbers.js";
import { interval } from "./pictures.js";
import { table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */

const FEW = 1; // notices of a kind that are seen at once

/** Whether this is the overview of a suite, which has no topics. */
function isSuite() {
  return collectionNames.length > 0 && !collectionShown;
}

function answer() {
  const leads = report.leads ?? [0]; // of lists, of answers
  const parts = leads.map((from, i) => report.answer.slice(from, leads[i + 1]));
  return element(
    "div",
    { class: "answer" },
    ...parts.flatMap(([first, ...rest]) => [
      first ? element("p", { class: "first" }, told(first)) : null,
      rest.length ? element("p", {}, ...rest.flatMap((text) => [told(text), " "])) : null,
    ]),
  );
}

/** @param {string[]} texts */
function listed(texts) {
  return element("ul", {}, ...texts.map((text) => element("li", {}, told(text))));
}

function notices() {
  const groups = [...report.notices, ...(report.left_out.length ? [{ kind: "omitted", texts: report.left_out }] : [])];
  if (groups.every(({ texts }) => texts.length === 0)) {
    return element("section", { class: "notices none" }, element("h2", {}, "Notes and warnings"), element("p", {}, "No notes."));
  }
  const shown = groups.flatMap(({ kind, texts }) => [
    element("dt", {}, prose(kind).replaceAll("-", " ")),
    element(
      "dd",
      {},
      ...texts.slice(0, FEW).map((text) => element("p", {}, told(text))),
      texts.length > FEW && element("details", {}, element("summary", {}, `${texts.length - FEW} more`), listed(texts.slice(FEW))),
    ),
  ]);
  return element("section", { class: "notices" }, element("h2", {}, "Notes and warnings"), element("dl", {}, ...shown));
}

function collection() {
  const facts = report.collection.flatMap(({ label, value, note }) => [
    element("dt", {}, prose(label)),
    element("dd", {}, told(value)),
    note ? element("dd", { class: "muted" }, told(note)) : "",
  ]);
  return element("section", { class: "collection" }, element("h2", {}, isSuite() ? "The suite" : "The collection"), element("dl", {}, ...facts));
}

/**
 * The cell of a run and a measure: its mean, a link to its topics.
 * @param {number} m
 * @param {number} r
 * @param {boolean} best
 * @param {number} digits
 */
function boardCell(m, r, best, digits) {
  const { means, low, high, letters } = report.board[m];
  return element(
    "span",
    { class: best ? "score best" : "score" },
    element("span", { class: "value" },
      best ? element("span", { class: "star", "aria-hidden": "true" }, "★") : null,
      isSuite() ? decimal(means[r], digits) : element("a", { href: topicsAddress(m, r), title: "See its topics" }, decimal(means[r], digits)),
      best ? heard(" best") : null,
      element("span", { class: "letters", title: letters[r] ? `letters: ${letters[r]}` : null }, letters[r] ?? "")),
    low[r] === null || high[r] === null
      ? null
      : element("span", { class: "within" }, `[${decimal(low[r], digits)}, ${decimal(high[r], digits)}]`),
  );
}

/**
 * @param {number} m
 * @returns {[number, number]}
 */
function endsOfIntervals(m) {
  const { means, low, high } = report.board[m];
  const known = [...means, ...low, ...high].filter((value) => value !== null).map(Number);
  return known.length ? [Math.min(...known), Math.max(...known)] : [0, 1];
}

/** @param {Place} place */
function leaderboard(place) {
  const first = report.measures[0];
  const usual = first ? (upwards(0) > 0 ? "-" : "") + first.name : "";
  const sort = place.parameters.sort ?? usual;
  const shown = measureNamed(sort.replace(/^-/, "")) ?? 0; // whose intervals are drawn
  const bests = report.measures.map(({ better }, m) => {
    const best = better === "neither" ? null : report.board[m].means[bestFirst(m)[0]];
    return new Set(best === null ? [] : report.runs.flatMap((_, r) => (report.board[m].means[r] === best ? [r] : [])));
  });
  const ends = endsOfIntervals(shown);
  const percent = `${Math.round((report.board[shown]?.confidence ?? 0.95) * 100)}%`;
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    {
      title: "Run", key: "run", head: true, kind: "sticky",
      value: (r) => report.runs[r].name,
      cell: (r) => {
        const { name, tag } = report.runs[r];
        return element("span", {}, named(name, 40), tag && tag !== name ? element("span", { class: "muted" }, " ", named(tag, 24)) : null);
      },
    },
  ];
  report.measures.forEach((measure, m) => {
    const { means, low, high, letters } = report.board[m];
    const digits = digitsFor(means);
    columns.push({
      title: measure.name, key: measure.name, number: true, smallest: upwards(m) < 0, hint: prose(measure.title),
      value: (r) => means[r],
      text: (r) => [decimal(means[r], digits), low[r] === null ? "" : ` [${decimal(low[r], digits)}, ${decimal(high[r], digits)}]`, letters[r] ? ` ${letters[r]}` : ""].join(""),
      cell: (r) => boardCell(m, r, bests[m].has(r), digits),
      also: [
        { title: `${measure.name} low`, value: (r) => low[r] },
        { title: `${measure.name} high`, value: (r) => high[r] },
        { title: `${measure.name} letters`, value: (r) => letters[r] },
      ],
    });
    if (m !== shown || means.every((_, r) => low[r] === null)) return;
    const scale = `${decimal(ends[0], Math.min(digits, 2))} to ${decimal(ends[1], Math.min(digits, 2))}`;
    columns.push({
      title: `${percent} interval, ${scale}`, kind: "drawn",
      cell: (r) => interval({ mean: means[r], low: low[r], high: high[r], ends, best: bests[m].has(r) }),
    });
  });
  const summaries = new Set(report.measures.map(({ summary }) => summary));
  const tests = new Set(report.board.filter(({ letters }) => letters.some(Boolean)).map(({ test }) => test));
  const note = [
    `Values: ${[...summaries].join(", ")} over ${report.over}, below them the ${percent} interval. ★: the best.`,
    tests.size ? ` Runs that share a letter are not significantly different (${[...tests].join("; ")}).` : "",
    isSuite() ? " Choose a collection above to see its topics." : " A value leads to its topics.",
  ].join("");
  return table(place, { name: "", what: "Leaderboard", columns, rows: report.runs.map((_, r) => r), sort: usual, size: 50, note: prose(note), kind: "board" });
}

/** @param {Place} place */
export function overview(place) {
  return [
    element("h1", {}, told(report.title)),
    element("div", { class: "glance" }, element("div", {}, answer(), notices()), collection()),
    element("section", {}, element("h2", {}, "Leaderboard"), leaderboard(place)),
  ];
}
