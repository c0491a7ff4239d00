// @ts-check
// Tables to take away: as CSV, Markdown or LaTeX, without a network.
import { announce, element, readable } from "./dom.js";

/** @typedef {import("./data.js").Cell} Cell */
/**
 * What is copied: values for programs, and texts for people, row by row.
 * @typedef {object} Copied
 * @property {string[]} heads
 * @property {Cell[][]} values
 * @property {string[]} columns
 * @property {string[][]} texts
 * @property {boolean[]} numbers which of the columns are set to the right
 */

/**
 * A cell of CSV; one that a spreadsheet would compute begins with '.
 * @param {Cell} cell
 */
function csvCell(cell) {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const harmless = /^[=+\-@]/.test(cell) ? "'" + cell : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** @param {Copied} copied */
function asCsv(copied) {
  return [copied.heads, ...copied.values].map((row) => row.map(csvCell).join(",") + "\n").join("");
}

/** @param {string} text */
function markdownCell(text) {
  return readable(text).replace(/[\\`*[\]<>|~&]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "\\$&");
}

/** @param {Copied} copied */
function asMarkdown(copied) {
  const line = (/** @type {string[]} */ row) => `| ${row.map(markdownCell).join(" | ")} |\n`;
  const sides = copied.numbers.map((number) => (number ? "---:|" : ":---|")).join("");
  return line(copied.columns) + `|${sides}\n` + copied.texts.map(line).join("");
}

/** @type {Record<string, string>} */
const LATEX = {
  ...Object.fromEntries([..."_&%$#{}"].map((c) => [c, "\\" + c])),
  ...Object.fromEntries([..."[]*"].map((c) => [c, "{" + c + "}"])),
  ...{ "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}" },
  ...{ "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "−": "$-$", "–": "--" },
  ...{ "±": "$\\pm$", "×": "$\\times$", "≥": "$\\ge$", "≤": "$\\le$", "…": "\\dots{}", "→": "$\\rightarrow$" },
  ...{ "τ": "$\\tau$", "α": "$\\alpha$", "β": "$\\beta$", "κ": "$\\kappa$", "λ": "$\\lambda$", "Δ": "$\\Delta$" },
  ...{ "σ": "$\\sigma$", "φ": "$\\phi$", "ρ": "$\\rho$", "♯": "$\\sharp$", "∞": "$\\infty$", "·": "$\\cdot$" },
  ...{ "“": "``", "”": "''", "’": "'", "²": "$^2$", "√": "$\\surd$", "Σ": "$\\Sigma$", "†": "$\\dagger$" },
};

/** @param {string} text */
function latexCell(text) {
  return [...readable(text)].map((c) => LATEX[c] ?? c).join("");
}

/** @param {Copied} copied */
function asLatex(copied) {
  const line = (/** @type {string[]} */ row) => row.map(latexCell).join(" & ") + " \\\\\n";
  const sides = copied.numbers.map((number) => (number ? "r" : "l")).join("");
  const body = `\\toprule\n${line(copied.columns)}\\midrule\n${copied.texts.map(line).join("")}\\bottomrule\n`;
  return `% \\usepackage{booktabs}\n\\begin{tabular}{${sides}}\n${body}\\end{tabular}\n`;
}

const FORMATS = { CSV: asCsv, Markdown: asMarkdown, LaTeX: asLatex };

/**
 * Give a text to the clipboard; where files may not, by a field whose content is copied.
 * @param {string} text
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = element("textarea", { class: "heard", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/**
 * A small menu that copies a table, all of its rows, in the order seen.
 * @param {string} what the table, in words
 * @param {() => Copied} copied
 */
export function copyMenu(what, copied) {
  const menu = element("details", { class: "menu" }, element("summary", { "aria-label": `Copy ${what}` }, "Copy"));
  const choices = Object.entries(FORMATS).map(([format, written]) =>
    element(
      "button",
      {
        type: "button",
        click: async () => {
          const table = copied();
          const done = await copyText(written(table));
          menu.open = false;
          menu.querySelector("summary")?.focus();
          const rows = table.values.length === 1 ? "1 row" : `${table.values.length} rows`;
          announce(done ? `Copied ${rows} as ${format}` : "The browser does not allow pages to copy");
        },
      },
      format,
    ),
  );
  menu.append(element("div", { class: "choices" }, ...choices));
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")?.focus();
  });
  menu.addEventListener("focusout", (event) => {
    if (!menu.contains(/** @type {Node | null} */ (event.relatedTarget))) menu.open = false;
  });
  return menu;
}
