// @ts-check
// The answers of two runs side by side: sentences with what they cite, and which nuggets are there.
import { digitsBy, measureOf, report, scoreOf } from "./data.js";
import { element, heard, lined, named, told, which } from "./dom.js";
import { badge, legend } from "./levels.js";
import { decimal } from "./numbers.js";
import { documentCell, rankIn } from "./retrieved.js";
import { table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./chosen.js").Chosen} Chosen */
/** @typedef {import("./data.js").Answers} Answers */
/** @typedef {import("./data.js").TopicAnswers} TopicAnswers */
/** @typedef {import("./data.js").Checklist} Checklist */
/** @typedef {{ t: number, answers: Answers, here: TopicAnswers }} Shown */
/** @typedef {2 | 1 | 0 | null} Mark */

const KINDS = /** @type {const} */ (["none", "partial", "full"]); // by mark
const SIGNS = ["✗", "◐", "✓"];
const NOT_JUDGED = { kind: "unknown", sign: "?" };
/** What marks are called, from none to all; then what nobody judged. */
const WORDS = {
  support: ["no support", "partial support", "full support", "support not judged"],
  nuggets: ["not supported", "partial", "supported", "not judged"],
  criteria: ["not met", "in part", "met", "not judged"],
};

/** @param {Mark} mark */
function look(mark) {
  return mark === null ? NOT_JUDGED : { kind: KINDS[mark], sign: SIGNS[mark] };
}

/**
 * How far something is supported, by colour, by sign and in words.
 * @param {Mark} mark
 * @param {keyof typeof WORDS} of
 * @param {boolean} [turned] whether it had better not be
 */
function marked(mark, of, turned = false) {
  const { sign } = look(mark);
  const { kind } = look(mark === null || !turned ? mark : /** @type {Mark} */ (2 - mark));
  return element("span", { class: `mark-of ${kind}` }, element("span", { class: "sign", "aria-hidden": "true" }, sign), " ", element("span", { class: "word" }, WORDS[of][mark ?? 3]));
}

/**
 * The place of a document that is cited among those of lists, by which all that show it are marked.
 * @param {number} t
 * @param {TopicAnswers} here
 * @param {number} doc
 */
function inLists(t, here, doc) {
  const found = report.lists?.topics[t]?.docs.indexOf((here.listed ?? here.docs)[doc]) ?? -1;
  return found < 0 ? `cited ${doc}` : found;
}

/**
 * A citation: its document, the support that it gives, and what the document was judged.
 * @param {Shown} shown
 * @param {number} doc
 * @param {Mark} mark
 */
function citation({ t, answers, here }, doc, mark) {
  const { kind, sign } = answers.supported ? look(mark) : { kind: "plain", sign: "" };
  const words = answers.supported ? WORDS.support[mark ?? 3] : "";
  return element(
    "span", { class: `cite ${kind}`, title: words || null, "data-doc": inLists(t, here, doc) },
    sign ? element("span", { class: "sign", "aria-hidden": "true" }, sign) : null,
    words ? heard(`${words}: `) : null,
    named(here.docs[doc], 28),
    here.level ? badge(answers, here.level[doc]) : null,
  );
}

/**
 * @param {Shown} shown
 * @param {import("./data.js").Sentence} sentence
 */
function sentenceItem(shown, [text, cited]) {
  return element(
    "li", {},
    text === null ? element("span", { class: "muted" }, "(no text)") : told(text, "sentence"), " ",
    cited.length
      ? element("span", { class: "cites" }, ...cited.flatMap(([doc, mark]) => [citation(shown, doc, mark), " "]))
      : element("span", { class: "cite uncited" }, "no citation"),
  );
}

/**
 * What an answer cites: each document once, with the sentences that do, and its rank in the list.
 * @param {Place} place
 * @param {Shown} shown
 * @param {string} letter
 * @param {number} r
 * @param {import("./data.js").Sentence[]} sentences
 * @param {number} first
 */
function citedDocuments(place, shown, letter, r, sentences, first) {
  const { t, answers, here } = shown;
  /** @type {Map<number, { number: number, mark: Mark }[]>} */
  const by = new Map();
  sentences.forEach(([, cited], i) => cited.forEach(([doc, mark]) => by.set(doc, [...(by.get(doc) ?? []), { number: first + i, mark }])));
  if (by.size === 0) return null;
  const lists = report.lists;
  const listed = lists?.topics[t];
  const rank = (/** @type {number} */ doc) => {
    if (!lists || !listed?.lists[r]) return null;
    return rankIn({ lists, here: listed }, r, Number(inLists(t, here, doc)));
  };
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Document", key: "doc", kind: "words", head: true, value: (doc) => here.docs[doc], cell: (doc) => documentCell(here, doc) },
    ...(here.level ? [{
      title: "Level", key: "level", value: (/** @type {number} */ doc) => { const level = here.level?.[doc] ?? null; return level === null ? null : answers.levels[level].level; },
      cell: (/** @type {number} */ doc) => badge(answers, here.level?.[doc] ?? null),
    }] : []),
    ...(listed?.lists[r] ? [{
      title: "Rank", key: "rank", number: true, smallest: true, hint: "Where the run has it in its list",
      value: (/** @type {number} */ doc) => rank(doc)?.rank ?? null, text: (/** @type {number} */ doc) => rank(doc)?.text ?? "–",
    }] : []),
    {
      title: "Sentences", key: "sentences", value: (doc) => (by.get(doc) ?? []).map(({ number }) => number).join(" "),
      cell: (doc) => element("span", { class: "cites" }, ...(by.get(doc) ?? []).flatMap(({ number, mark }) => {
        const { kind, sign } = answers.supported ? look(mark) : { kind: "plain", sign: "" };
        return [element("span", { class: `cite ${kind}` }, sign ? element("span", { class: "sign", "aria-hidden": "true" }, sign) : null, String(number), answers.supported ? heard(` ${WORDS.support[mark ?? 3]}`) : null), " "];
      })),
    },
  ];
  const what = letter === "Run" ? "Documents that are cited" : `Documents that ${letter} cites`;
  return element(
    "details", { class: "cited" }, element("summary", {}, `${what} (${by.size})`),
    table(place, { name: `cited${letter}`, what, columns, rows: [...by.keys()], size: 50, row: (doc) => ({ "data-doc": inLists(t, here, doc) }) }),
  );
}

/**
 * The answer of a run.
 * @param {Place} place
 * @param {Shown} shown
 * @param {"A" | "B" | "Run"} letter
 * @param {number} r
 * @param {Chosen} chosen
 */
function answerOf(place, shown, letter, r, chosen) {
  const said = shown.here.said[r] ?? null;
  const m = measureOf(true, chosen.m);
  const head = element("h3", {}, letter === "Run" ? "" : which(letter), " ", named(report.runs[r].name, 40));
  const score = m === null ? null : scoreOf(m, r, shown.t);
  const facts = element(
    "p", { class: "facts" },
    m === null || score === null ? null : element("strong", {}, decimal(score, digitsBy(m))), m === null || score === null ? null : ` ${report.measures[m].name}`,
    said?.told ? `${score === null ? "" : " · "}${said.told}` : "",
  );
  if (!said) return element("section", { class: "list" }, head, facts, element("p", { class: "empty" }, "This run has no answer text."));
  if (!said.sentences) return element("section", { class: "list" }, head, facts, element("p", { class: "answer-text", dir: "auto" }, lined(said.text ?? "")));
  return element(
    "section", { class: "list" }, head, facts,
    said.sentences.length ? element("ol", { class: "sentences", start: said.first }, ...said.sentences.map((one) => sentenceItem(shown, one))) : element("p", { class: "empty" }, "The answer is empty."),
    citedDocuments(place, shown, letter, r, said.sentences, said.first ?? 1),
  );
}

/**
 * Nuggets or criteria, and which of them each run has.
 * @param {Place} place
 * @param {"nuggets" | "criteria"} of
 * @param {Checklist | undefined} list
 * @param {number[]} runs
 */
function checklist(place, of, list, runs) {
  if (!list) return null;
  const [title, one, kind, group] = of === "nuggets" ? ["Nuggets", "Nugget", "Importance", "Sub-narrative"] : ["Criteria", "Criterion", "Weight", "Axis"];
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: one, key: "what", kind: "words", head: true, value: (i) => list.rows[i][0], cell: (i) => told(list.rows[i][0]) },
    { title: kind, key: "kind", number: of === "criteria", value: (i) => list.rows[i][1], cell: (i) => element("span", { class: list.rows[i][1] === "vital" ? "vital" : null }, String(list.rows[i][1]).replace("-", "−")) },
    ...(list.rows.some((row) => row[2]) ? [{ title: group, key: "group", kind: "groups", value: (/** @type {number} */ i) => list.rows[i][2] || null, cell: (/** @type {number} */ i) => told(list.rows[i][2] || "–") }] : []),
    ...runs.map((r, n) => {
      const mark = (/** @type {number} */ i) => list.marks[r]?.[i] ?? null;
      return {
        title: runs.length === 1 ? "Answer" : "AB"[n], key: "ab"[n], hint: report.runs[r].name,
        value: (/** @type {number} */ i) => (mark(i) === null ? null : [0, 0.5, 1][mark(i) ?? 0]),
        text: (/** @type {number} */ i) => (list.marks[r] ? WORDS[of][mark(i) ?? 3] : "–"),
        cell: (/** @type {number} */ i) => (list.marks[r] ? marked(mark(i), of, Number(list.rows[i][1]) < 0) : element("span", { class: "muted" }, "no answer")),
      };
    }),
  ];
  const letters = runs.length === 1 ? [""] : ["A: ", "B: "];
  const note = runs.map((r, n) => letters[n] + (list.told[r] || "not judged")).join(" · ");
  return element(
    "section", { class: "checklist" }, element("h2", {}, title),
    table(place, { name: of, what: title, columns, rows: list.rows.map((_, i) => i), size: 100, note }),
  );
}

/** @param {Answers} answers what the colours of citations mean, and of the documents beside them */
function colours(answers) {
  const support = /** @type {Mark[]} */ ([2, 1, 0, null]).map((mark) => {
    const { kind, sign } = look(mark);
    return [element("span", { class: `cite ${kind}`, "aria-hidden": "true" }, element("span", { class: "sign" }, sign), "d"), WORDS.support[mark ?? 3]];
  });
  const levels = answers.levels.length ? [...answers.levels.map((level, i) => [badge(answers, i), `document of level ${level.level}`]), [badge(answers, null), "document unjudged"]] : [];
  const items = [...(answers.supported ? support : []), ...levels];
  return items.length ? legend("Citations", items) : null;
}

/**
 * All that is known of the answers of the chosen runs.
 * @param {Place} place
 * @param {number} t
 * @param {Chosen} chosen
 */
export function answersOf(place, t, chosen) {
  const answers = report.answers;
  if (!answers) return null;
  const here = answers.topics[t];
  const head = element("h2", {}, "Answers");
  if (!here) {
    const why = answers.known[t] ? "The answers to this topic are omitted. See “About” for the option that includes them." : "No answers to this topic.";
    return element("section", { class: "answers" }, head, element("p", { class: "empty" }, why));
  }
  const shown = { t, answers, here };
  const { a, b } = chosen;
  const runs = b === null ? [a] : [a, b];
  const texts = here.said.some(Boolean);
  return element(
    "section", { class: "answers" }, texts ? head : null,
    here.gold ? element("p", {}, here.gold.length === 1 ? "Right answer: " : "Right answers: ", ...here.gold.flatMap((one, i) => [i ? " · " : "", told(one)])) : null,
    texts ? colours(answers) : null,
    texts ? element("div", { class: b === null ? "lists one" : "lists" }, ...runs.map((r, n) => answerOf(place, shown, b === null ? "Run" : /** @type {"A" | "B"} */ ("AB"[n]), r, chosen))) : null,
    checklist(place, "nuggets", here.nuggets, runs),
    checklist(place, "criteria", here.criteria, runs),
  );
}
