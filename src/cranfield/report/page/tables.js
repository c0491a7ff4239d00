// @ts-check
// Tables that can be sorted, turned page by page, and copied.
import { changedAddress } from "./address.js";
import { copyMenu } from "./copying.js";
import { element, heard } from "./dom.js";
import { grouped } from "./numbers.js";

/** @typedef {import("./dom.js").Child} Child */
/** @typedef {import("./data.js").Cell} Cell */
/** @typedef {import("./address.js").Place} Place */
/**
 * A column: what it sorts by, and how it is seen.
 * @template T
 * @typedef {object} Column
 * @property {string} title
 * @property {string} [key] what addresses call it, if it can be sorted by
 * @property {(row: T) => Cell} [value] for sorting and for programs; without it a column is not copied
 * @property {(row: T) => string} [text] the value, for people
 * @property {(row: T) => Child} [cell] what is seen, if it is more than the text
 * @property {boolean} [number] set to the right; the largest first when first sorted by
 * @property {boolean} [smallest] sorted with the smallest first when first sorted by
 * @property {boolean} [head] names its row
 * @property {boolean} [quiet] its head is heard, not seen
 * @property {string} [hint]
 * @property {string} [kind] class of its cells
 * @property {{ title: string, value: (row: T) => Cell }[]} [also] columns beside it, for programs
 */
/**
 * @template T
 * @typedef {object} TableOf
 * @property {string} name of its parameters in the address; the main table of a view has ""
 * @property {string} what the table, in words
 * @property {Column<T>[]} columns
 * @property {T[]} rows
 * @property {string} [sort] a column's key, after - if the largest is first
 * @property {number} [size] rows of a page
 * @property {(row: T) => Record<string, unknown>} [row] attributes of a row
 * @property {Child} [note] below the table
 * @property {string} [kind]
 */

const words = new Intl.Collator("en", { numeric: true });

/**
 * @param {Cell} a
 * @param {Cell} b
 */
function compared(a, b) {
  return typeof a === "number" && typeof b === "number" ? a - b : words.compare(String(a), String(b));
}

/**
 * Rows in the order asked for, those without a value last.
 * @template T
 * @param {T[]} rows
 * @param {Column<T>[]} columns
 * @param {string} sort
 * @returns {T[]}
 */
export function ordered(rows, columns, sort) {
  const down = sort.startsWith("-");
  const column = columns.find((x) => x.key === sort.replace(/^-/, ""));
  const value = column?.value;
  if (!value) return rows;
  const known = rows.filter((row) => value(row) !== null).map((row) => ({ row, by: value(row) }));
  known.sort((a, b) => compared(a.by, b.by) * (down ? -1 : 1));
  return [...known.map((x) => x.row), ...rows.filter((row) => value(row) === null)];
}

/**
 * @template T
 * @param {Column<T>} column
 * @param {T} row
 */
function textOf(column, row) {
  if (column.text) return column.text(row);
  const value = column.value?.(row) ?? null;
  return value === null ? "–" : String(value);
}

/**
 * @template T
 * @param {Column<T>[]} columns
 * @param {T[]} rows
 * @returns {import("./copying.js").Copied}
 */
function copiedOf(columns, rows) {
  const taken = columns.filter((column) => column.value);
  const fields = taken.flatMap((column) => [{ title: column.title, value: column.value }, ...(column.also ?? [])]);
  return {
    heads: fields.map((field) => field.title),
    values: rows.map((row) => fields.map((field) => field.value?.(row) ?? null)),
    columns: taken.map((column) => column.title),
    texts: rows.map((row) => taken.map((column) => textOf(column, row))),
    numbers: taken.map((column) => column.number ?? false),
  };
}

/**
 * The head of a column: a link to the table sorted by it.
 * @template T
 * @param {Place} place
 * @param {string} parameter
 * @param {string} sort
 * @param {Column<T>} column
 */
function headOf(place, parameter, sort, column) {
  const look = { scope: "col", class: column.number ? "number" : null, title: column.hint };
  if (!column.key) return element("th", look, column.quiet ? heard(column.title) : column.title);
  const sorted = sort.replace(/^-/, "") === column.key;
  const down = sort.startsWith("-");
  const next = sorted ? !down : Boolean(column.number) && !column.smallest;
  const address = changedAddress(place, {
    [parameter]: (next ? "-" : "") + column.key,
    [parameter.replace("sort", "page")]: undefined,
  });
  const sign = element("span", { class: "sign", "aria-hidden": "true" }, sorted ? (down ? "▼" : "▲") : "↕");
  return element(
    "th",
    { ...look, "aria-sort": sorted ? (down ? "descending" : "ascending") : null },
    element("a", { class: "sort", href: address, "data-key": `${parameter}:${column.key}` }, column.title, " ", sign),
  );
}

/**
 * Which rows are seen, and the links to the others.
 * @param {Place} place
 * @param {string} parameter
 * @param {number} count
 * @param {number} size
 * @returns {{ from: number, to: number, links: Child }}
 */
function pageOf(place, parameter, count, size) {
  if (count <= size) return { from: 0, to: count, links: null };
  const asked = place.parameters[parameter] ?? "1";
  const link = (/** @type {string} */ text, /** @type {string} */ page) =>
    element("a", { href: changedAddress(place, { [parameter]: page }), "data-key": `${parameter}:${text}` }, text);
  if (asked === "all") {
    return { from: 0, to: count, links: element("p", { class: "pager" }, `All ${grouped(count)} rows`, link("In pages", "")) };
  }
  const last = Math.ceil(count / size);
  const page = Math.min(Math.max(Number.parseInt(asked, 10) || 1, 1), last);
  const from = (page - 1) * size;
  const to = Math.min(from + size, count);
  const links = element(
    "p",
    { class: "pager" },
    `${grouped(from + 1)}–${grouped(to)} of ${grouped(count)}`,
    page > 1 && link("Previous", String(page - 1)),
    page < last && link("Next", String(page + 1)),
    link("All", "all"),
  );
  return { from, to, links };
}

/**
 * A table of a view, sorted and turned as the address says.
 * @template T
 * @param {Place} place
 * @param {TableOf<T>} spec
 */
export function table(place, spec) {
  const suffix = spec.name ? `.${spec.name}` : "";
  const sort = place.parameters[`sort${suffix}`] ?? spec.sort ?? "";
  const rows = ordered(spec.rows, spec.columns, sort);
  const { from, to, links } = pageOf(place, `page${suffix}`, rows.length, spec.size ?? 50);
  const heads = spec.columns.map((column) => headOf(place, `sort${suffix}`, sort, column));
  const body = rows.slice(from, to).map((row) =>
    element(
      "tr",
      spec.row?.(row) ?? {},
      ...spec.columns.map((column) => {
        const look = { class: [column.number ? "number" : "", column.kind ?? ""].join(" ").trim() || null };
        const content = column.cell ? column.cell(row) : textOf(column, row);
        return column.head ? element("th", { scope: "row", ...look }, content) : element("td", look, content);
      }),
    ),
  );
  return element(
    "div",
    { class: `table ${spec.kind ?? ""}`.trim() },
    element(
      "div",
      { class: "scroll", role: "region", "aria-label": spec.what },
      element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body)),
    ),
    element("div", { class: "below" }, links, copyMenu(spec.what, () => copiedOf(spec.columns, rows))),
    spec.note ? element("p", { class: "note" }, spec.note) : null,
  );
}
