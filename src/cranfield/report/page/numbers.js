// @ts-check
// Numbers as people read them.

const NOTHING = "–";

/**
 * Decimals as Python writes them: of two that are equally near, the even one, where toFixed takes the larger.
 * @param {number} value
 * @param {number} digits
 */
function halfEven(value, digits) {
  const text = value.toFixed(digits);
  const halves = value * 2 ** (digits + 1); // a half of the last decimal is one of these, and exact
  const odd = Number.isInteger(halves) && halves % 2 === 1 && Number(text.at(-1)) % 2 === 1;
  return odd ? (value - 10 ** -digits / 4).toFixed(digits) : text;
}

/**
 * @param {number | null | undefined} value
 * @param {number} [digits] decimals
 */
export function decimal(value, digits = 4) {
  if (value === null || value === undefined) return NOTHING;
  const text = halfEven(Math.abs(value), digits);
  return value < 0 && Number(text) !== 0 ? "−" + text : text;
}

/**
 * A difference, whose sign is always told.
 * @param {number | null | undefined} value
 * @param {number} [digits]
 */
export function signed(value, digits = 4) {
  const text = decimal(value, digits);
  return value !== null && value !== undefined && value > 0 && Number(text) !== 0 ? "+" + text : text;
}

/**
 * A p-value as `compare` prints it: never 0, and below the least that random trials can give.
 * @param {number | null | undefined} p
 * @param {{ p: number, text: string } | null} [least]
 */
export function probability(p, least) {
  if (p === null || p === undefined) return NOTHING;
  if (least && p <= least.p) return least.text;
  return p < 0.0001 ? "<0.0001" : decimal(p);
}

/**
 * The mean of values, and the ends of its interval by Student's t if there are two values or more.
 * @param {number[]} values
 * @param {number[]} quantiles that of the normal distribution, then those of 1, 2, … degrees of freedom
 * @returns {{ mean: number, low: number | null, high: number | null }}
 */
export function meanInterval(values, quantiles) {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n < 2) return { mean, low: null, high: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = tQuantile(n - 1, quantiles) * Math.sqrt(variance / n);
  return { mean, low: mean - half, high: mean + half };
}

/**
 * @param {number} df
 * @param {number[]} quantiles
 */
function tQuantile(df, quantiles) {
  if (df < quantiles.length) return quantiles[df];
  const z = quantiles[0];
  return z + (z ** 3 + z) / (4 * df) + (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * df ** 2);
}

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString("en-US");
}

/**
 * As many decimals as a column of such values needs.
 * @param {(number | null)[]} values
 */
export function digitsFor(values) {
  const known = values.filter((value) => value !== null).map((value) => Math.abs(Number(value)));
  const largest = known.reduce((most, value) => Math.max(most, value), 0);
  if (known.every(Number.isInteger) && largest > 1) return 0;
  return largest < 10 ? 4 : largest < 1000 ? 2 : 1;
}

/**
 * Round numbers between two ends, for an axis.
 * @param {number} low
 * @param {number} high
 * @param {number} [most]
 * @returns {number[]}
 */
export function ticks(low, high, most = 6) {
  if (!(high > low)) return [low];
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? power;
  const found = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i += 1) {
    found.push(Number((i * step).toPrecision(12)));
  }
  return found;
}
