// @ts-check
// Topics, sorted by the difference of two runs, with why a run fails there.
import { addressOf, changedAddress, go } from "./address.js";
import { choice, chosenAt, leftOut, measureChoice, namesOf, runChoice, topicsAddress, unknownNote } from "./chosen.js";
import { digitsBy, failingBy, intervalOfPair, ofPair, reason, report, scoreOf, upwards } from "./data.js";
import { begun, element, named, readable, shortened } from "./dom.js";
import { decimal, digitsFor, meanInterval, signed } from "./numbers.js";
import { bar, differences } from "./pictures.js";
import { ordered, table } from "./tables.js";

/** @typedef {import("./address.js").Place} Place */
/** @typedef {import("./chosen.js").Chosen} Chosen */
/** @typedef {{ t: number, a: number | null, b: number | null, difference: number | null }} Row */

const sliceColumns = [...new Set(report.topics.flatMap(({ slices }) => Object.keys(slices ?? {})))];
const hasQueries = report.topics.some(({ query }) => query);

/**
 * The topics of a place: those that the search, the slice and the reason leave.
 * @param {Place} place
 * @param {Chosen} chosen
 * @returns {Row[]}
 */
function rowsAt(place, { a, b, m }) {
  const { q = "", slice = "", why = "" } = place.parameters;
  const searched = q.toLowerCase();
  const rows = report.topics.map((_, t) => {
    const [first, second] = [scoreOf(m, a, t), scoreOf(m, b, t)];
    return { t, a: first, b: second, difference: first === null || second === null ? null : first - second };
  });
  return rows.filter(({ t }) => {
    const { id, query = "", slices = {} } = report.topics[t];
    const found = id.toLowerCase().includes(searched) || query.toLowerCase().includes(searched);
    const within = slice === "" || Object.entries(slices).some(([column, value]) => `${column}=${value}` === slice);
    return found && within && (why === "" || reason(a, t) === why);
  });
}

/**
 * @param {Place} place
 * @param {Chosen} chosen
 * @param {number} most the largest difference, which fills its cell
 * @returns {import("./tables.js").Column<Row>[]}
 */
function columnsAt(place, chosen, most) {
  const { a, b, m } = chosen;
  const digits = digitsBy(m);
  const topicAddress = (/** @type {number} */ t) => addressOf("topic", report.topics[t].id, { ...place.parameters, ...namesOf(chosen), page: undefined });
  /** @type {import("./tables.js").Column<Row>[]} */
  const columns = [
    {
      title: "Topic", key: "topic", head: true, kind: "sticky",
      value: ({ t }) => report.topics[t].id,
      cell: ({ t }) => element("a", { href: topicAddress(t), class: "topic", "data-key": `topic:${report.topics[t].id}` }, named(report.topics[t].id, 32)),
    },
  ];
  if (hasQueries) {
    columns.push({ title: "Query", key: "query", kind: "words", value: ({ t }) => report.topics[t].query ?? null, cell: ({ t }) => begun(report.topics[t].query ?? "–") });
  }
  if (b !== null) {
    columns.push(
      {
        title: "A − B", key: "difference", number: true, smallest: upwards(m) > 0,
        value: (row) => (row.difference === null ? null : Number(row.difference.toPrecision(6))),
        text: (row) => signed(row.difference, digits),
      },
      { title: "Difference, drawn", quiet: true, kind: "drawn", cell: (row) => bar(row.difference, most, (row.difference ?? 0) * upwards(m) > 0) },
    );
  }
  const score = (/** @type {"a" | "b"} */ key, /** @type {number} */ r) => ({
    title: b === null ? report.measures[m].name : `${key.toUpperCase()} ${shortened(report.runs[r].name, 14)}`,
    hint: readable(report.runs[r].name), key, number: true,
    value: (/** @type {Row} */ row) => row[key], text: (/** @type {Row} */ row) => decimal(row[key], digits),
  });
  columns.push(score("a", a), ...(b === null ? [] : [score("b", b)]));
  if (report.buckets) {
    columns.push({ title: (b === null ? "Why it fails" : "Why A fails") + failingBy(m), key: "why", value: ({ t }) => reason(a, t) || null });
    if (b !== null) columns.push({ title: "Why B fails" + failingBy(m), key: "why-b", value: ({ t }) => reason(b, t) || null });
  }
  for (const column of sliceColumns) {
    columns.push({ title: shortened(column, 24), key: `slice ${column}`, kind: "slice", value: ({ t }) => report.topics[t].slices?.[column] ?? null, cell: ({ t }) => named(report.topics[t].slices?.[column] ?? "–", 24) });
  }
  return columns;
}

/**
 * How topics are sorted unless the address says otherwise: where A loses most first.
 * @param {Chosen} chosen
 */
function usualSort({ b, m }) {
  return (upwards(m) > 0 ? "" : "-") + (b === null ? "a" : "difference");
}

/**
 * The ids of the topics of a place, in the order of its table.
 * @param {Place} place
 * @returns {number[]}
 */
export function topicOrder(place) {
  const chosen = chosenAt(place);
  const columns = columnsAt(place, chosen, 1);
  return ordered(rowsAt(place, chosen), columns, place.parameters.sort ?? usualSort(chosen)).map(({ t }) => t);
}

/**
 * @param {Row[]} rows
 * @param {Chosen} chosen
 */
function tallied(rows, { a, b, m }) {
  const measure = report.measures[m].name;
  if (b === null) return element("p", {}, `${rows.length} topics, by ${measure}.`);
  const better = rows.filter(({ difference }) => (difference ?? 0) * upwards(m) > 0).length;
  const worse = rows.filter(({ difference }) => (difference ?? 0) * upwards(m) < 0).length;
  const unknown = rows.filter(({ difference }) => difference === null).length;
  const said = [`A is better on ${better} of ${rows.length}, B on ${worse}, equal on ${rows.length - better - worse - unknown}`];
  if (unknown) said.push(`, without a score on ${unknown}`);
  const stated = meanDifference(rows, { a, b, m });
  if (stated) said.push(". " + stated);
  return element("p", { class: "tallied" }, said.join("") + ".");
}

/**
 * The mean difference over the topics that are shown, with its interval.
 * @param {Row[]} rows
 * @param {{ a: number, b: number, m: number }} chosen
 */
function meanDifference(rows, { a, b, m }) {
  const known = rows.flatMap(({ difference }) => (difference === null ? [] : [difference]));
  const pairs = report.pairs[m];
  const all = rows.length === report.topics.length;
  const mean = all && pairs ? ofPair(pairs.difference, a, b, -1) : null;
  const whole = pairs && mean !== null;
  if (!whole && known.length === 0) return "";
  const digits = digitsFor(report.board[m].means);
  const own = meanInterval(known, report.t);
  const [low, high] = whole ? intervalOfPair(pairs, a, b) : [own.low, own.high];
  const percent = `${Math.round((report.board[m].confidence ?? 0.95) * 100)}% interval`;
  const topics = known.length === 1 ? "topic" : "topics";
  const where = all ? "Over all topics" : `Over ${known.length === 1 ? "this" : `these ${known.length}`} ${topics}`;
  const ends = low === null || high === null ? ", no interval" : ` [${signed(low, digits)}, ${signed(high, digits)}]`;
  const by = low === null || high === null ? "" : whole ? ` (${percent})` : ` (${percent}, Student's t, not corrected)`;
  return `${where}, A − B = ${signed(whole ? mean : own.mean, digits)}${ends} by ${report.measures[m].name}${by}`;
}

/**
 * How often each run fails on the topics of the search and the slice, and why.
 * @param {Place} place
 * @param {Chosen} chosen
 */
function tally(place, chosen) {
  const { buckets } = report;
  const { m } = chosen;
  if (!buckets) return null;
  const shown = rowsAt({ ...place, parameters: { ...place.parameters, why: undefined } }, chosen).map(({ t }) => t);
  const counts = buckets.codes.map((codes) => buckets.names.map((_, i) => shown.filter((t) => codes[t] === i).length));
  const { q = "", slice = "" } = place.parameters;
  const filters = { ...(q ? { q } : {}), ...(slice ? { slice } : {}) };
  /** @type {import("./tables.js").Column<number>[]} */
  const columns = [
    { title: "Run", key: "run", head: true, kind: "sticky", value: (r) => report.runs[r].name, cell: (r) => named(report.runs[r].name, 40) },
    ...buckets.names.map((name, i) => ({
      title: name, key: `why ${name}`, number: true, hint: buckets.explained[i],
      value: (/** @type {number} */ r) => counts[r][i],
      cell: (/** @type {number} */ r) => (counts[r][i] ? element("a", { href: topicsAddress(m, r, undefined, { ...filters, why: name }) }, counts[r][i]) : element("span", { class: "muted" }, "0")),
    })),
  ];
  const explained = buckets.names.flatMap((name, i) => [element("dt", {}, name), element("dd", {}, buckets.explained[i] ?? "")]);
  const measure = report.measures[buckets.measure]?.name ?? "";
  const looked = shown.filter((t) => buckets.counted?.[t] ?? true).length;
  return element(
    "section",
    {},
    element("h2", {}, "Why runs fail"),
    element("p", {}, `Number of topics (of ${looked}) on which a run fails by ${measure}, by the first reason that applies.`),
    table(place, { name: "tally", what: "Why runs fail", columns, rows: report.runs.map((_, r) => r), size: 25 }),
    element("dl", { class: "terms" }, ...explained),
  );
}

/**
 * The part that a search changes.
 * @param {Place} place
 * @param {Chosen} chosen
 */
function found(place, chosen) {
  const rows = rowsAt(place, chosen);
  if (rows.length === 0) return [element("p", { class: "empty" }, "No matching topics."), tally(place, chosen)];
  const known = rows.flatMap(({ t, difference }) => (difference === null ? [] : [{ t, difference }]));
  const most = Math.max(...known.map(({ difference }) => Math.abs(difference)), 1e-9);
  const columns = columnsAt(place, chosen, most);
  const { b, m } = chosen;
  const items = [...known].sort((x, y) => (x.difference - y.difference) * upwards(m)).map(({ t, difference }) => ({
    label: report.topics[t].id,
    value: difference,
    good: difference * upwards(m) > 0,
    address: addressOf("topic", report.topics[t].id, { ...place.parameters, ...namesOf(chosen), page: undefined }),
  }));
  const what = "Each bar is a topic: blue where A is better, orange where B is. Click one to see its lists.";
  return [
    tallied(rows, chosen),
    b !== null && items.length ? differences(items, what, digitsBy(m)) : null,
    table(place, {
      name: "", what: "Topics", columns, rows, sort: usualSort(chosen), size: 50,
      note: element("span", { class: "keys" }, element("kbd", {}, "j"), " and ", element("kbd", {}, "k"), " move down and up, ", element("kbd", {}, "Enter"), " opens a topic, ", element("kbd", {}, "/"), " searches."),
    }),
    tally(place, chosen),
  ];
}

/** @param {Place} place */
export function topics(place) {
  const chosen = chosenAt(place);
  const { a, b, m } = chosen;
  const results = element("div", { class: "results" });
  let now = place;
  const show = () => results.replaceChildren(...found(now, chosen).filter((x) => x !== null));
  const search = element("input", {
    type: "search", id: "search", "data-key": "q", value: place.parameters.q ?? "", autocomplete: "off",
    placeholder: hasQueries ? "id or query" : "id",
    input: (/** @type {Event} */ event) => {
      // The address follows without a new entry in the history, and only the results are made anew.
      const q = /** @type {HTMLInputElement} */ (event.target).value;
      now = { ...place, parameters: { ...place.parameters, q, page: undefined } };
      history.replaceState(null, "", changedAddress(now, {}));
      show();
    },
  });
  const slices = sliceColumns.flatMap((column) =>
    [...new Set(report.topics.map((topic) => topic.slices?.[column]))].filter((value) => value !== undefined).sort()
      .map((value) => ({ value: `${column}=${value}`, text: `${column}: ${value}` })));
  const why = (report.buckets?.names ?? []).map((name) => ({ value: name, text: name }));
  show();
  return [
    element("h1", {}, b === null ? "Topics" : "Topics, by the difference of two runs"),
    unknownNote(chosen.unknown),
    leftOut(m),
    element(
      "form",
      { class: "choices", submit: (/** @type {Event} */ event) => event.preventDefault() },
      runChoice("a", a),
      b !== null && runChoice("b", b),
      b !== null && element("button", { type: "button", class: "quiet swap", title: "Exchange A and B", click: () => go(changedAddress(now, { a: report.runs[b].name, b: report.runs[a].name })) }, "⇄", element("span", { class: "heard" }, "Exchange A and B")),
      measureChoice(m),
      slices.length > 0 && choice("Slice", "slice", [{ value: "", text: "all topics" }, ...slices], place.parameters.slice ?? ""),
      why.length > 0 && choice((b === null ? "Fails" : "A fails") + failingBy(m), "why", [{ value: "", text: "or not" }, ...why], place.parameters.why ?? ""),
      element("label", { class: "choice" }, element("span", {}, "Search"), search),
    ),
    results,
  ];
}

