// @ts-check
// A topic: the answers and the lists of two runs side by side, what they missed, and what all runs made of it.
import { addressOf, changedAddress } from "./address.js";
import { answersOf } from "./answers.js";
import { chosenAt, leftOut, measureChoice, namesOf, runChoice, unknownNote } from "./chosen.js";
import { digitsBy, failingBy, measureOf, reason, report, scoreOf, topicNamed, upwards } from "./data.js";
import { element, named, told, which } from "./dom.js";
import { badge, levelsLegend } from "./levels.js";
import { decimal, grouped, signed } from "./numbers.js";
import { documentCell, rankIn } from "./retrieved.js";
import { table } from "./tables.js";
import { isTicked, tick } from "./ticked.js";
import { topicOrder } from "./topics.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./chosen.js").Chosen} Chosen */
/** @typedef {import("./data.js").Lists} Lists */
/** @typedef {import("./data.js").TopicLists} TopicLists */
/** @typedef {{ t: number, lists: Lists, here: TopicLists }} Shown */

/**
 * @param {Shown} shown
 * @param {number} doc
 */
function levels({ lists, here }, doc) {
  if (!here.second) return badge(lists, here.level[doc]);
  const differ = here.second[doc] !== here.level[doc];
  const title = differ ? "the second judgment differs" : "both judgments are the same";
  return element("span", { class: "both", title }, badge(lists, here.level[doc]), differ ? "≠" : "=", badge(lists, here.second[doc]));
}

/**
 * @param {Shown} shown
 * @param {number} doc
 */
function tickBox({ t, here }, doc) {
  const id = here.docs[doc];
  return element("input", {
    type: "checkbox", class: "tick", checked: isTicked(t, id), "data-doc": doc, "aria-label": `Tick ${id.slice(0, 80)}`,
    change: (/** @type {Event} */ event) => {
      const on = /** @type {HTMLInputElement} */ (event.target).checked;
      tick(t, id, on);
      for (const box of document.querySelectorAll(`input.tick[data-doc="${doc}"]`)) /** @type {HTMLInputElement} */ (box).checked = on;
    },
  });
}

/**
 * The list of a run.
 * @param {Place} place
 * @param {Shown} shown
 * @param {"A" | "B" | "Run"} letter
 * @param {number} r
 * @param {number | null} other
 * @param {Chosen} chosen
 */
function list(place, shown, letter, r, other, chosen) {
  const { t, here, lists } = shown;
  const found = here.lists[r];
  const m = measureOf(false, chosen.m) ?? chosen.m;
  const digits = digitsBy(m);
  const why = reason(r, t);
  const facts = element(
    "p", { class: "facts" },
    element("strong", {}, decimal(scoreOf(m, r, t), digits)), ` ${report.measures[m].name}`,
    found ? ` · ${grouped(Math.min(lists.depth, found.length))} of ${grouped(here.length[r])} documents` : "",
    why ? element("span", { class: "why" }, why + failingBy(m)) : null,
  );
  const head = element("h3", {}, letter === "Run" ? "" : which(letter), " ", named(report.runs[r].name, 40));
  if (found === undefined) return element("section", { class: "list" }, head, element("p", { class: "empty" }, "This run has answers, but no rankings."));
  if (!found) return element("section", { class: "list" }, head, facts, element("p", { class: "empty" }, "The topic is missing from this run."));
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Tick", quiet: true, cell: (i) => tickBox(shown, found[i]) },
    { title: "Rank", number: true, value: (i) => i + 1 },
    { title: "Level", value: (i) => { const level = here.level[found[i]]; return level === null ? null : lists.levels[level].level; }, cell: (i) => levels(shown, found[i]) },
    { title: "Document", kind: "words", head: true, value: (i) => here.docs[found[i]], cell: (i) => documentCell(here, found[i]) },
  ];
  if (other !== null) {
    columns.push({
      title: letter === "A" ? "In B" : "In A", number: true, hint: "The rank in the other list",
      value: (i) => rankIn(shown, other, found[i]).rank,
      cell: (i) => { const { text, hint } = rankIn(shown, other, found[i]); return element("span", { title: hint || null, class: hint ? "muted" : null }, text); },
    });
  }
  return element(
    "section", { class: "list" }, head, facts,
    table(place, {
      name: `list${letter}`, what: `The list of ${letter}`, columns, rows: found.map((_, i) => i), size: 100,
      row: (i) => ({ "data-doc": found[i] }),
    }),
  );
}

/**
 * Relevant documents that one of the two runs does not have where the page looks: those of either list,
 * and those that were chosen for all runs. The best level first, then those that a run has near its top.
 * @param {Shown} shown
 * @param {number[]} runs
 */
function missedBy({ here, lists }, runs) {
  const isRelevant = (/** @type {number} */ doc) => lists.levels[here.level[doc] ?? -1]?.relevant ?? false;
  const found = runs.flatMap((r) => here.lists[r] ?? []).filter(isRelevant);
  const known = [...new Set([...here.relevant, ...found])];
  const rank = (/** @type {number} */ doc) => Math.min(...runs.map((r) => rankIn({ here, lists }, r, doc).rank ?? Infinity));
  const worth = (/** @type {number} */ doc) => lists.levels[here.level[doc] ?? 0].level;
  const rows = known.filter((doc) => runs.some((r) => !here.lists[r]?.includes(doc)));
  rows.sort((x, y) => worth(y) - worth(x) || Math.min(rank(x), 1e9) - Math.min(rank(y), 1e9));
  return { rows, more: here.left_out - (known.length - here.relevant.length) };
}

/**
 * @param {Place} place
 * @param {Shown} shown
 * @param {Chosen} chosen
 */
function missed(place, shown, { a, b }) {
  const { here, lists } = shown;
  const runs = b === null ? [a] : [a, b];
  const { rows, more } = missedBy(shown, runs);
  const others = more > 0 ? ` ${grouped(more)} more relevant ${more === 1 ? "document is" : "documents are"} in neither top ${lists.depth} and not shown; --complete (complete=True) shows all.` : "";
  const head = element("h2", {}, "Relevant documents that were missed");
  if (rows.length === 0) {
    const none = here.relevant.length ? `All relevant documents shown are in the top ${lists.depth}.` : "No relevant documents.";
    return element("section", {}, head, element("p", {}, none + others));
  }
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Tick", quiet: true, cell: (doc) => tickBox(shown, doc) },
    { title: "Level", key: "level", value: (doc) => lists.levels[here.level[doc] ?? 0].level, cell: (doc) => levels(shown, doc) },
    { title: "Document", key: "doc", kind: "words", head: true, value: (doc) => here.docs[doc], cell: (doc) => documentCell(here, doc) },
    ...runs.map((r, n) => ({
      title: b === null ? "Rank" : `Rank in ${"AB"[n]}`, key: `rank${n}`, number: true, smallest: true,
      value: (/** @type {number} */ doc) => rankIn(shown, r, doc).rank,
      text: (/** @type {number} */ doc) => rankIn(shown, r, doc).text,
      cell: (/** @type {number} */ doc) => {
        const { rank, text, hint } = rankIn(shown, r, doc);
        if (rank === null) return element("span", { class: "muted" }, hint);
        return rank > lists.depth ? text : element("strong", {}, text);
      },
    })),
  ];
  return element(
    "section", { class: "missed" }, head,
    table(place, { name: "missed", what: "Relevant documents that were missed", columns, rows, size: 25, row: (doc) => ({ "data-doc": doc }),
      note: `Those that ${b === null ? "the run has" : "A or B have"} not in the top ${lists.depth}.${others}` }),
  );
}

/**
 * @param {Place} place
 * @param {number} t
 * @param {Chosen} chosen
 */
function allRuns(place, t, chosen) {
  const { a, b, m } = chosen;
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    {
      title: "Run", key: "run", head: true, kind: "sticky", value: (r) => report.runs[r].name,
      cell: (r) => r === a || r === b
        ? element("span", {}, named(report.runs[r].name, 40), " ", which(r === a ? "A" : "B"))
        : element("a", { href: changedAddress(place, { ...namesOf(chosen), b: report.runs[r].name }), title: "Show it as B" }, named(report.runs[r].name, 40)),
    },
    ...report.measures.flatMap((measure, i) => {
      if (!report.scores[i]) return [];
      const digits = digitsBy(i);
      return [{
        title: measure.name, key: measure.name, number: true, smallest: measure.better === "lower",
        value: (/** @type {number} */ r) => scoreOf(i, r, t), text: (/** @type {number} */ r) => decimal(scoreOf(i, r, t), digits),
      }];
    }),
  ];
  if (report.buckets) columns.push({ title: "Why it fails" + failingBy(report.measures.length > 1 ? -1 : m), key: "why", value: (r) => reason(r, t) || null });
  return element(
    "section", {}, element("h2", {}, "All runs on this topic"),
    table(place, { name: "runs", what: "All runs on this topic", columns, rows: report.runs.map((_, r) => r), sort: (upwards(m) > 0 ? "-" : "") + report.measures[m].name, size: 25 }),
  );
}

/**
 * The topic before or after one, in the order of the list it was chosen from.
 * @param {Place} place
 * @param {1 | -1} step
 * @returns {string | null}
 */
export function neighbour(place, step) {
  const order = topicOrder(place);
  const at = order.indexOf(topicNamed(place.id) ?? -1) + step;
  return at < 0 || at >= order.length ? null : addressOf("topic", report.topics[order[at]].id, place.parameters);
}

/**
 * @param {Place} place
 * @param {Chosen} chosen
 */
function way(place, chosen) {
  const order = topicOrder(place);
  const at = order.indexOf(topicNamed(place.id) ?? -1);
  const [before, after] = [neighbour(place, -1), neighbour(place, 1)];
  const rest = Object.fromEntries(Object.entries(place.parameters).filter(([name]) => !/^(sort|page)\./.test(name))); // of tables here
  return element(
    "p", { class: "way" },
    element("a", { href: addressOf("topics", "", { ...rest, ...namesOf(chosen) }) }, "All topics"),
    element("span", { class: "muted" }, at < 0 ? "" : `${at + 1} of ${order.length}`),
    before ? element("a", { href: before, rel: "prev", "data-key": "previous" }, "Previous ", element("kbd", {}, "k")) : null,
    after ? element("a", { href: after, rel: "next", "data-key": "next" }, "Next ", element("kbd", {}, "j")) : null,
  );
}

/**
 * The same document, marked wherever it stands while a row or a citation of it is pointed at or focused.
 * @param {HTMLElement} within
 */
function marking(within) {
  const mark = (/** @type {Event} */ event) => {
    const shown = "tr[data-doc], .cite[data-doc]";
    const row = /** @type {Element} */ (event.target).closest(shown);
    const doc = row?.getAttribute("data-doc");
    for (const other of within.querySelectorAll(shown)) {
      other.classList.toggle("same", doc !== undefined && doc !== null && other.getAttribute("data-doc") === doc);
    }
  };
  within.addEventListener("pointerover", mark);
  within.addEventListener("focusin", mark);
  return within;
}

/**
 * Why a topic has no lists; a page that was made of answers need not have any.
 * @param {number} t
 */
function noLists(t) {
  if (!report.lists && report.answers) return null;
  const known = t < (report.lists?.topics.length ?? 0);
  const why = known ? "The rankings of this topic are omitted. See “About” for the option that includes them." : report.lists ? "No document is judged for this topic, so it has no rankings." : "This report was created from scores and has no rankings.";
  return element("p", { class: "empty" }, why);
}

/** @param {Place} place */
export function topic(place) {
  const t = topicNamed(place.id);
  if (t === undefined) {
    return [element("h1", {}, "No such topic"), element("p", {}, "This report has no topic ", named(place.id), ". ", element("a", { href: "#topics" }, "All topics"))];
  }
  const chosen = chosenAt(place);
  const { a, b, m } = chosen;
  const { id, query, slices } = report.topics[t];
  const [first, second] = [scoreOf(m, a, t), scoreOf(m, b, t)];
  const here = report.lists?.topics[t] ?? null;
  const shown = here && report.lists ? { t, lists: report.lists, here } : null;
  const difference = first === null || second === null ? null : signed(first - second, digitsBy(m));
  return [
    way(place, chosen),
    element("h1", {}, "Topic ", named(id)),
    query ? element("p", { class: "query" }, told(query)) : null,
    slices ? element("p", { class: "slices" }, ...Object.entries(slices).map(([column, value]) => element("span", { class: "mark" }, told(column), ": ", told(value)))) : null,
    unknownNote(chosen.unknown),
    leftOut(m),
    element(
      "form", { class: "choices", submit: (/** @type {Event} */ event) => event.preventDefault() },
      runChoice("a", a),
      b !== null && runChoice("b", b),
      measureChoice(m),
      difference === null ? null : element("p", { class: "outcome" }, "A − B ", element("strong", {}, difference)),
    ),
    marking(element("div", {}, answersOf(place, t, chosen), shown
      ? element(
          "div", { class: "lists-and-missed" }, element("h2", {}, "Lists"), levelsLegend(shown.lists),
          element("div", { class: b === null ? "lists one" : "lists" }, list(place, shown, b === null ? "Run" : "A", a, b, chosen), b === null ? null : list(place, shown, "B", b, a, chosen)),
          missed(place, shown, chosen),
        )
      : noLists(t))),
    allRuns(place, t, chosen),
  ];
}
