// @ts-check
// What the page shows: made in Python, read here, changed nowhere.
import { digitsFor } from "./numbers.js";

/** @typedef {number | null} Value undefined is null */
/** @typedef {{ name: string, tag?: string }} Run */
/** @typedef {{ id: string, query?: string, slices?: Record<string, string> }} Topic */
/**
 * @typedef {object} Measure
 * @property {string} name
 * @property {"higher" | "lower" | "neither"} better
 * @property {string} summary
 * @property {boolean} [answers] whether it is of answers, not of lists
 * @property {string} title
 * @property {string} formula
 * @property {string} text
 * @property {{ name: string, value: string, doc: string }[]} parameters
 * @property {string[]} bibtex
 */
/**
 * @typedef {object} Board
 * @property {Value[]} means
 * @property {Value[]} low
 * @property {Value[]} high
 * @property {(string | null)[]} letters
 * @property {number} confidence
 * @property {string} test
 */
/**
 * Numbers of pairs are upper triangles: row i holds the runs after i only.
 * @typedef {object} Pairs
 * @property {Value[][]} p
 * @property {{ p: number, text: string } | null} [least_p] the least that random trials can give
 * @property {Value[][]} effect
 * @property {Value[][]} difference
 * @property {Value} [half] half the width of the intervals of differences, if it is the same for all
 * @property {Value[][] | null} low else their ends
 * @property {Value[][] | null} high
 * @property {Value[][] | null} bound_low
 * @property {Value[][] | null} bound_high
 * @property {string} test
 * @property {string} effect_name
 * @property {number} [alpha]
 */
/** @typedef {{ measure: number, names: string[], explained: string[], codes: number[][], counted?: boolean[] }} Buckets */
/** @typedef {{ level: number, sign: string, relevant: boolean }} Level */
/**
 * @typedef {object} TopicLists
 * @property {string[]} docs
 * @property {(number | null)[]} level
 * @property {(number | null)[]} [second]
 * @property {(number[] | null)[]} lists
 * @property {number[]} length
 * @property {number[]} relevant
 * @property {number} left_out
 * @property {number[][]} ranks
 * @property {Record<string, { title?: string, text?: string }>} [titles]
 */
/** @typedef {{ depth: number, levels: Level[], topics: (TopicLists | null)[] }} Lists */
/** @typedef {2 | 1 | 0 | null} Mark full, partial, none; null if nobody judged it */
/** @typedef {[string | null, [number, Mark][]]} Sentence its text, and the documents that it cites */
/** @typedef {{ text?: string, first?: number, sentences?: Sentence[], told?: string }} SaidAnswer */
/** @typedef {{ rows: [string, string | number, string][], marks: (Mark[] | null)[], told: string[] }} Checklist */
/**
 * @typedef {object} TopicAnswers
 * @property {string[]} docs those that are cited
 * @property {(number | null)[]} [level] if any document of the topic was judged
 * @property {string[]} [listed] what lists call the documents, if they are chunks of others
 * @property {(SaidAnswer | null)[]} said
 * @property {Checklist} [nuggets]
 * @property {Checklist} [criteria]
 * @property {string[]} [gold]
 * @property {Record<string, { title?: string, text?: string }>} [titles]
 */
/** @typedef {{ supported: boolean, levels: Level[], topics: (TopicAnswers | null)[], known: boolean[] }} Answers */
/** @typedef {string | number | null} Cell */
/** @typedef {{ title: string, columns: string[], rows: Cell[][], note?: string, drawn?: [number, number, number] }} SectionTable */
/**
 * @typedef {object} Section
 * @property {string} id
 * @property {string} title
 * @property {string} text
 * @property {SectionTable[]} tables
 * @property {{ x: string, y: string, points: { name: string, x: Value, y: Value }[] }} [scatter]
 * @property {{ x: string, y: string, lines: { name: string, points: [number, Value][] }[] }} [lines]
 */
/**
 * @typedef {object} Report
 * @property {string} title
 * @property {string[]} answer
 * @property {number[]} [leads] where the sentences of lists, and of answers, begin
 * @property {{ kind: string, texts: string[] }[]} notices
 * @property {Run[]} runs
 * @property {Topic[]} topics
 * @property {Measure[]} measures
 * @property {(Value[][] | null)[]} scores by measure, run and topic; those of later measures may be left out
 * @property {string} over how many topics, in words
 * @property {number[]} t the normal quantile, then those of Student's t with 1, 2, … degrees of freedom
 * @property {Board[]} board
 * @property {(Pairs | null)[]} pairs
 * @property {{ statistic: string, values: Value[][] } | null} agreement
 * @property {{ label: string, value: string, note?: string }[]} collection
 * @property {Buckets | null} buckets
 * @property {Lists | null} lists
 * @property {Answers | null} [answers]
 * @property {Section[]} sections
 * @property {{ label: string, value: string }[]} reproduce
 * @property {string[]} left_out
 */

/** @typedef {{ overview: Report, collections: { name: string, report: Report }[] }} SuiteReport */

/** @type {Report | SuiteReport} */
const whole = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
const parts = "collections" in whole ? whole.collections : [];
const asked = new URLSearchParams(location.search).get("collection");

/** The collections of a suite, each of which has a report of its own. */
export const collectionNames = parts.map(({ name }) => name);
const shownPart = parts.find(({ name }) => name === asked);
/** The collection shown, or nothing for the overview of a suite. */
export const collectionShown = shownPart?.name ?? "";
/** @type {Report} */
export const report = "overview" in whole ? (shownPart?.report ?? whole.overview) : whole;

const runNumbers = new Map(report.runs.map((run, i) => [run.name, i]));
const topicNumbers = new Map(report.topics.map((topic, i) => [topic.id, i]));
const measureNumbers = new Map(report.measures.map((measure, i) => [measure.name, i]));

/** @param {string | undefined} name */
export function runNamed(name) {
  return runNumbers.get(name ?? "");
}

/** @param {string} id */
export function topicNamed(id) {
  return topicNumbers.get(id);
}

/** @param {string | undefined} name */
export function measureNamed(name) {
  return measureNumbers.get(name ?? "");
}

/**
 * The measure itself if it is one of answers, or of lists, as is wanted; else the first that is.
 * @param {boolean} answers
 * @param {number} m
 * @returns {number | null}
 */
export function measureOf(answers, m) {
  const suits = (/** @type {number} */ i) => (report.measures[i].answers ?? false) === answers;
  return suits(m) ? m : (report.measures.map((_, i) => i).find(suits) ?? null);
}

/**
 * 1 if a higher value of the measure comes first, -1 if a lower one does.
 * @param {number} m
 */
export function upwards(m) {
  return report.measures[m].better === "lower" ? -1 : 1;
}

/**
 * All runs, the best by a measure first, those without a mean last.
 * @param {number} m
 * @returns {number[]}
 */
export function bestFirst(m) {
  const means = report.board[m]?.means ?? [];
  const worth = (/** @type {number} */ r) => {
    const mean = means[r];
    return mean === null || mean === undefined ? -Infinity : mean * upwards(m);
  };
  return report.runs.map((_, r) => r).sort((a, b) => (worth(a) < worth(b) ? 1 : worth(a) > worth(b) ? -1 : a - b));
}

/**
 * What is known of run i beside run j, read from the triangle that holds either order.
 * @param {Value[][] | null} triangle
 * @param {number} i
 * @param {number} j
 * @param {1 | -1} mirrored what a value is multiplied with for the other order
 * @returns {Value}
 */
export function ofPair(triangle, i, j, mirrored) {
  if (!triangle || i === j) return null;
  const value = i < j ? triangle[i]?.[j - i - 1] : triangle[j]?.[i - j - 1];
  if (value === null || value === undefined) return null;
  return i < j ? value : value * mirrored;
}

/**
 * Both ends of what holds for run i minus run j: an interval, or bounds.
 * @param {Value[][] | null} lows
 * @param {Value[][] | null} highs
 * @param {number} i
 * @param {number} j
 * @returns {[Value, Value]}
 */
export function endsOfPair(lows, highs, i, j) {
  const low = ofPair(lows, i, j, -1);
  const high = ofPair(highs, i, j, -1);
  return i < j ? [low, high] : [high, low];
}

/**
 * The interval of the difference of run i and run j.
 * @param {Pairs} pairs
 * @param {number} i
 * @param {number} j
 * @returns {[Value, Value]}
 */
export function intervalOfPair(pairs, i, j) {
  const difference = ofPair(pairs.difference, i, j, -1);
  const { half } = pairs;
  if (half === null || half === undefined || difference === null) return endsOfPair(pairs.low, pairs.high, i, j);
  return [difference - half, difference + half];
}

/**
 * The reason why a run fails at a topic, or nothing.
 * @param {number | null} r
 * @param {number} t
 */
export function reason(r, t) {
  const code = r === null ? -1 : (report.buckets?.codes[r]?.[t] ?? -1);
  return code < 0 ? "" : (report.buckets?.names[code] ?? "");
}

/**
 * By what runs fail, where that is not the measure shown.
 * @param {number} m
 */
export function failingBy(m) {
  return !report.buckets || report.buckets.measure === m ? "" : ` by ${report.measures[report.buckets.measure].name}`;
}

/**
 * What a run gets at a topic.
 * @param {number} m
 * @param {number | null} r
 * @param {number} t
 * @returns {Value}
 */
export function scoreOf(m, r, t) {
  return r === null ? null : (report.scores[m]?.[r]?.[t] ?? null);
}

/** @type {Map<number, number>} */
const scoreDigits = new Map();

/**
 * As many decimals as the scores of a measure need.
 * @param {number} m
 */
export function digitsBy(m) {
  const known = scoreDigits.get(m) ?? digitsFor(report.scores[m]?.flat() ?? []);
  scoreDigits.set(m, known);
  return known;
}
