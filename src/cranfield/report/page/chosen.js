// @ts-check
// What a place is about: two runs and a measure, and how readers choose others.
import { addressOf, changedAddress, go, placeOf } from "./address.js";
import { bestFirst, measureNamed, report, runNamed } from "./data.js";
import { element, named, shortened, which } from "./dom.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {{ a: number, b: number | null, m: number, unknown: string[] }} Chosen b is null with one run */

/**
 * The best run by a measure that is not the given one.
 * @param {number} m
 * @param {number} a
 * @returns {number | null}
 */
export function rival(m, a) {
  return bestFirst(m).find((r) => r !== a) ?? null;
}

/**
 * @param {Place} place
 * @returns {Chosen}
 */
export function chosenAt(place) {
  const { a: first, b: second, m: measure } = place.parameters;
  const m = measureNamed(measure) ?? 0;
  const b = runNamed(second);
  const a = runNamed(first) ?? bestFirst(m).find((r) => r !== b) ?? 0;
  const asked = [[measure, measureNamed(measure)], [first, runNamed(first)], [second, b]];
  const unknown = asked.filter(([name, found]) => name !== undefined && found === undefined);
  return { a, b: b === undefined || b === a ? rival(m, a) : b, m, unknown: unknown.map(([name]) => String(name)) };
}

/**
 * The parameters that name what was chosen.
 * @param {{ a: number, b: number | null, m: number }} chosen
 */
export function namesOf({ a, b, m }) {
  return { a: report.runs[a].name, b: b === null ? undefined : report.runs[b].name, m: report.measures[m].name };
}

/**
 * The topics of a run beside another, by a measure: where the cells of tables lead.
 * @param {number} m
 * @param {number} a
 * @param {number | null} [b]
 * @param {Record<string, string>} [more]
 */
export function topicsAddress(m, a, b = rival(m, a), more = {}) {
  return addressOf("topics", "", { ...namesOf({ a, b, m }), ...more });
}

/**
 * A choice of one of several, kept in the address.
 * @param {import("./dom.js").Child} label
 * @param {string} parameter
 * @param {{ value: string, text: string }[]} options
 * @param {string} now
 */
export function choice(label, parameter, options, now) {
  return element(
    "label",
    { class: "choice" },
    element("span", {}, label),
    element(
      "select",
      {
        "data-key": parameter,
        change: (/** @type {Event} */ event) => {
          const value = /** @type {HTMLSelectElement} */ (event.target).value;
          const now = placeOf(location.hash); // which a search may have changed meanwhile
          go(changedAddress(now, { [parameter]: value, page: undefined }));
        },
      },
      ...options.map(({ value, text }) => element("option", { value, selected: value === now }, shortened(text, 60))),
    ),
  );
}

/**
 * @param {"a" | "b"} parameter
 * @param {number} now
 */
export function runChoice(parameter, now) {
  const options = report.runs.map(({ name }) => ({ value: name, text: name }));
  const label = element("span", {}, "Run ", report.runs.length > 1 && which(parameter === "a" ? "A" : "B"));
  return choice(label, parameter, options, report.runs[now].name);
}

/** @param {number} now */
export function measureChoice(now) {
  const options = report.measures.map(({ name }) => ({ value: name, text: name }));
  return choice("Measure", "m", options, report.measures[now].name);
}

/**
 * What the address names and this page does not have.
 * @param {string[]} unknown
 */
export function unknownNote(unknown) {
  if (unknown.length === 0) return null;
  const names = unknown.flatMap((name, i) => [i ? ", " : "", named(name)]);
  return element("p", { class: "warning" }, "Not in this report: ", ...names, ". Shown instead is what the page begins with.");
}

/**
 * Where the page has means only.
 * @param {number} m
 */
export function leftOut(m) {
  return report.scores[m] ? null : element("p", { class: "warning" }, `The scores of topics by ${report.measures[m].name} are omitted. See “About” for the option that includes them.`);
}
