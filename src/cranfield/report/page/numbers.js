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

/** @param {number | null | undefined} p */
export function probability(p) {
  return p !== null && p !== undefined && p < 0.00005 ? "<0.0001" : decimal(p);
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
