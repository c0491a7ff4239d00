// @ts-check
// What a document was judged, by colour and by sign.
import { element, heard } from "./dom.js";

/** @typedef {{ levels: import("./data.js").Level[] }} Levels */

/**
 * @param {Levels} known
 * @param {number | null} level
 */
export function badge({ levels }, level) {
  if (level === null) return element("span", { class: "level unjudged", title: "unjudged" }, element("span", { "aria-hidden": "true" }, "?"), heard("unjudged"));
  const { sign, relevant, level: value } = levels[level];
  const ranks = levels.filter((x) => x.relevant);
  const strength = relevant ? Math.ceil(((ranks.indexOf(levels[level]) + 1) / ranks.length) * 3) : 0;
  const kind = relevant ? `relevant s${strength}` : value < 0 ? "bad" : "nonrelevant";
  const words = `level ${value}, ${relevant ? "relevant" : "not relevant"}`;
  return element("span", { class: `level ${kind}`, title: words }, element("span", { "aria-hidden": "true" }, sign), heard(words));
}

/**
 * What the colours mean.
 * @param {Levels} known
 */
export function levelsLegend(known) {
  const items = [...known.levels.map((level, i) => [badge(known, i), `level ${level.level}`]), [badge(known, null), "unjudged"]];
  return legend("Levels", items);
}

/**
 * @param {string} what
 * @param {import("./dom.js").Child[][]} items signs, and what each means
 */
export function legend(what, items) {
  return element("ul", { class: "legend", "aria-label": what }, ...items.map(([sign, words]) => element("li", {}, sign, " ", words)));
}
