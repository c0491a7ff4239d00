// @ts-check
// A document of a list: how it is shown, and where it stands in the list of a run.
import { begun, element, named } from "./dom.js";
import { grouped } from "./numbers.js";

/** @typedef {import("./data.js").Lists} Lists */
/** @typedef {import("./data.js").TopicLists} TopicLists */

/**
 * A document: its id, and its title and text if they were given.
 * @param {{ docs: string[], titles?: Record<string, { title?: string, text?: string }> }} here
 * @param {number} doc
 */
export function documentCell(here, doc) {
  const { title, text } = here.titles?.[doc] ?? {};
  return element("span", { class: "document" }, named(here.docs[doc]), title ? begun(title, "doc-title") : null, text ? begun(text, "doc-text") : null);
}

/**
 * Where a document stands in a run, as far as the page knows.
 * @param {{ lists: Lists, here: TopicLists }} shown
 * @param {number} r
 * @param {number} doc
 * @returns {{ rank: number | null, text: string, hint: string }}
 */
export function rankIn({ lists, here }, r, doc) {
  const above = (here.lists[r] ?? []).indexOf(doc);
  if (above >= 0) return { rank: above + 1, text: String(above + 1), hint: "" };
  const relevant = here.relevant.indexOf(doc);
  const rank = relevant < 0 ? 0 : (here.ranks[r]?.[relevant] ?? 0);
  if (rank > 0) return { rank, text: grouped(rank), hint: "" };
  if (relevant >= 0 || (here.length[r] ?? 0) <= lists.depth) return { rank: null, text: "–", hint: "not retrieved" };
  return { rank: null, text: `>${lists.depth}`, hint: `not in the top ${lists.depth}` };
}
