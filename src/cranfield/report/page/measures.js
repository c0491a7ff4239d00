// @ts-check
// The measures used: what they are, how they agree, whom to cite.
import { copyText } from "./copying.js";
import { report } from "./data.js";
import { announce, element, prose, readable, told } from "./dom.js";
import { decimal } from "./numbers.js";
import { table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */

/**
 * A text whose `words` are written as programs have them.
 * @param {string} text
 */
function withCode(text) {
  return text.split("`").map((part, i) => (i % 2 ? element("code", {}, part) : part));
}

/** @param {Place} place */
function agreement(place) {
  const found = report.agreement;
  if (!found) return null;
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Measure", head: true, kind: "sticky", value: (i) => report.measures[i].name },
    ...report.measures.map(({ name }, j) => ({
      title: name, number: true,
      value: (/** @type {number} */ i) => found.values[i][j],
      text: (/** @type {number} */ i) => (i === j ? "" : decimal(found.values[i][j], 3)),
      cell: (/** @type {number} */ i) => {
        const value = found.values[i][j];
        const shade = value === null || i === j ? "" : `shade${Math.min(Math.max(Math.floor(value * 5), 0), 4)}`;
        return element("span", { class: shade }, i === j ? "·" : decimal(value, 3));
      },
    })),
  ];
  const names = /** @type {Record<string, string>} */ ({ kendall: "Kendall’s τ" });
  return element(
    "section", {}, element("h2", {}, "Agreement of the measures"),
    table(place, { name: "agreement", what: "Agreement of the measures", columns, rows: report.measures.map((_, i) => i), kind: "matrix",
      note: `Agreement between the rankings of runs by two measures: ${names[found.statistic] ?? found.statistic}, 1 for the same order, −1 for the reverse.` }),
  );
}

/**
 * @param {Place} place
 * @param {import("./data.js").Measure} measure
 */
function definition(place, measure) {
  const better = { higher: "higher is better", lower: "lower is better", neither: "neither more nor less is better" }[measure.better];
  /** @type {import("./tables.js").Column<import("./data.js").Measure["parameters"][number]>[]} */
  const columns = [
    { title: "Parameter", head: true, value: ({ name }) => name },
    { title: "Value", value: ({ value }) => String(value) },
    { title: "What it does", kind: "words", value: ({ doc }) => doc, cell: ({ doc }) => element("bdi", {}, ...withCode(prose(doc))) },
  ];
  return element(
    "section", { class: "definition" },
    element("h2", {}, readable(measure.name)),
    element("p", { class: "first" }, told(measure.title)),
    measure.formula ? element("pre", { class: "formula" }, measure.formula) : null,
    ...measure.text.split("\n\n").filter(Boolean).map((part) => (part.includes("\n") ? element("pre", {}, part) : element("p", {}, ...withCode(part)))),
    element("p", { class: "muted" }, `Over topics: ${prose(measure.summary)}; ${better}.`),
    measure.parameters.length ? table(place, { name: `parameters ${measure.name}`, what: `Parameters of ${measure.name}`, columns, rows: measure.parameters }) : null,
  );
}

function references() {
  const entries = [...new Set(report.measures.flatMap(({ bibtex }) => bibtex))];
  if (entries.length === 0) return null;
  const text = entries.join("\n\n") + "\n";
  return element(
    "section", {}, element("h2", {}, "References"),
    element("p", {}, element("button", { type: "button", click: async () => announce((await copyText(text)) ? "Copied BibTeX" : "The browser does not allow pages to copy") }, "Copy BibTeX")),
    element("pre", {}, text),
  );
}

/** @param {Place} place */
export function measuresUsed(place) {
  return [element("h1", {}, "Measures"), agreement(place), ...report.measures.map((measure) => definition(place, measure)), references()];
}
