// @ts-check
// Documents that the reader ticks, as a list for assessors: what `cranfield pool` writes.
import { report } from "./data.js";
import { announce, element, kept } from "./dom.js";

const KEY = "cranfield ticked " + report.title;

/** @type {Map<number, Set<string>>} documents by topic */
const ticked = new Map();

/** Ticks stay while the page is open, also when it is loaded again. */
export function recallTicks() {
  try {
    for (const [id, docs] of Object.entries(JSON.parse(kept("sessionStorage", KEY) ?? "{}"))) {
      const t = report.topics.findIndex((topic) => topic.id === id);
      if (t >= 0) ticked.set(t, new Set(docs));
    }
  } catch {
    ticked.clear(); // what another page has kept
  }
  showTicks();
}

/**
 * @param {number} t
 * @param {string} doc
 */
export function isTicked(t, doc) {
  return ticked.get(t)?.has(doc) ?? false;
}

/**
 * @param {number} t
 * @param {string} doc
 * @param {boolean} on
 */
export function tick(t, doc, on) {
  const docs = ticked.get(t) ?? new Set();
  if (on) docs.add(doc);
  else docs.delete(doc);
  ticked.set(t, docs);
  kept("sessionStorage", KEY, JSON.stringify(byTopic()));
  showTicks();
}

/**
 * In the order of code points, as Python sorts, so that no rank shows.
 * @param {string} a
 * @param {string} b
 */
function byCodePoints(a, b) {
  const [left, right] = [[...a], [...b]];
  const i = left.findIndex((c, at) => c !== right[at]);
  if (i < 0) return left.length - right.length;
  return (left[i].codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? -1);
}

/** @returns {Record<string, string[]>} the ticked documents by topic, in the page's order of topics */
function byTopic() {
  const topics = [...ticked.keys()].filter((t) => ticked.get(t)?.size).sort((a, b) => a - b);
  return Object.fromEntries(topics.map((t) => [report.topics[t].id, [...(ticked.get(t) ?? [])].sort(byCodePoints)]));
}

/**
 * Lines `TOPIC DOC`; ids with blanks, which lines cannot hold, are in JSON.
 * @returns {{ name: string, text: string }}
 */
function assessmentList() {
  const topics = [...ticked.keys()].filter((t) => ticked.get(t)?.size).sort((a, b) => a - b);
  const pairs = topics.flatMap((t) => [...(ticked.get(t) ?? [])].sort(byCodePoints).map((doc) => [report.topics[t].id, doc]));
  if (pairs.flat().some((id) => id === "" || /\s/u.test(id))) {
    return { name: "to-judge.json", text: JSON.stringify(byTopic(), null, 2) + "\n" };
  }
  return { name: "to-judge.txt", text: pairs.map(([topic, doc]) => `${topic} ${doc}\n`).join("") };
}

/** Give the list to the browser as a file. */
function download() {
  const { name, text } = assessmentList();
  const address = URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" }));
  const link = element("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
  announce(`Downloaded ${name}`);
}

function clearTicks() {
  ticked.clear();
  kept("sessionStorage", KEY, "{}");
  for (const box of document.querySelectorAll("input.tick")) /** @type {HTMLInputElement} */ (box).checked = false;
  showTicks();
  document.getElementById("main")?.focus();
}

/** The counter, at the lower edge of every view as long as anything is ticked. */
function showTicks() {
  const place = document.getElementById("ticked");
  if (!place) return;
  const docs = [...ticked.values()].reduce((sum, found) => sum + found.size, 0);
  const topics = [...ticked.values()].filter((found) => found.size).length;
  place.hidden = docs === 0;
  place.replaceChildren(
    element("span", { role: "status" }, `${docs} ${docs === 1 ? "document" : "documents"} of ${topics} ${topics === 1 ? "topic" : "topics"} ticked`),
    element("button", { type: "button", click: download, title: "Lines “topic document”, as cranfield pool writes them" }, "Download list to judge"),
    element("button", { type: "button", class: "quiet", click: clearTicks }, "Clear"),
  );
}
