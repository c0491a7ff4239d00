// @ts-check
// The page: shows the view that the address asks for, and listens to keys.
import { about } from "./about.js";
import { go, placeOf } from "./address.js";
import { collectionNames, collectionShown, report } from "./data.js";
import { element, kept, prose, shortened } from "./dom.js";
import { measuresUsed } from "./measures.js";
import { overview } from "./overview.js";
import { pairsOfRuns } from "./pairs.js";
import { section } from "./sections.js";
import { recallTicks } from "./ticked.js";
import { neighbour, topic } from "./topic.js";
import { topics } from "./topics.js";

/** @typedef {import("./address.js").Place} Place */

/** @type {Record<string, (place: Place) => import("./dom.js").Child[]>} */
const VIEWS = { "": overview, topics, topic, pairs: pairsOfRuns, measures: measuresUsed, section, about };

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const positions = new Map(); // how far each address was scrolled
const title = document.title;
let shownAt = "";
let byLink = false;
let focusFirst = false; // the first topic of the next page, which j asked for

/** Scroll the navigation to the current place. scrollIntoView would also scroll a page that embeds the report. */
function showCurrentPlace() {
  const bar = document.getElementById("places");
  const current = bar?.querySelector("[aria-current]");
  if (!bar || !current) return;
  const [outer, inner] = [bar.getBoundingClientRect(), current.getBoundingClientRect()];
  if (inner.left < outer.left) bar.scrollLeft -= outer.left - inner.left;
  else if (inner.right > outer.right) bar.scrollLeft += inner.right - outer.right;
}

function places() {
  const links = [
    ["", "Overview"],
    ...(report.topics.length ? [["topics", "Topics"]] : []),
    ...(report.pairs.some(Boolean) ? [["pairs", "Pairs"]] : []),
    ["measures", "Measures"],
    ...report.sections.map(({ id, title }) => [`section/${encodeURIComponent(id)}`, shortened(prose(title), 28)]),
    ["about", "About"],
  ];
  const now = placeOf(location.hash);
  return links.map(([address, text]) => {
    const { view, id } = placeOf(address);
    const here = (view === now.view && id === now.id) || (view === "topics" && now.view === "topic");
    return element("a", { href: `#${address}`, "aria-current": here ? "page" : null }, text);
  });
}

/** Tables that are wider than the window can be reached, and so scrolled, by the keyboard. */
function reachable() {
  for (const place of main.querySelectorAll(".scroll, pre")) {
    if (place.scrollWidth > place.clientWidth || place.scrollHeight > place.clientHeight) place.setAttribute("tabindex", "0");
  }
}

/**
 * On paper nothing can be opened or scrolled: all is open, and wide tables are made smaller.
 * @param {boolean} printing
 */
function toPaper(printing) {
  const [paper, letters] = [660, 0.86]; // pixels across a sheet; the size of its letters
  if (printing) for (const more of main.querySelectorAll("details:not(.menu)")) /** @type {HTMLDetailsElement} */ (more).open = true;
  for (const shown of /** @type {NodeListOf<HTMLElement>} */ (main.querySelectorAll(".scroll > table"))) {
    const width = shown.scrollWidth * letters;
    shown.style.setProperty("zoom", printing && width > paper ? String(paper / width) : "");
  }
}

/** The view of the address; who only sorted or chose stays where they were. */
function show() {
  const place = placeOf(location.hash);
  const [before, now] = [placeOf(shownAt), location.hash || "#"];
  const same = shownAt !== "" && before.view === place.view && before.id === place.id;
  const key = document.activeElement?.getAttribute("data-key");
  const height = window.scrollY;
  const view = VIEWS[place.view] ?? (() => [element("h1", {}, "No such view"), element("p", {}, element("a", { href: "#" }, "Overview"))]);
  main.replaceChildren(...view(place).filter((child) => child instanceof Node));
  document.getElementById("places")?.replaceChildren(...places());
  showCurrentPlace();
  document.title = place.view === "" ? title : `${main.querySelector("h1")?.textContent} – ${title}`;
  reachable();
  const again = key ? [...main.querySelectorAll("[data-key]")].find((x) => x.getAttribute("data-key") === key) : null;
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  else if (shownAt !== "") main.focus({ preventScroll: true });
  if (focusFirst) main.querySelector("a.topic") instanceof HTMLElement && /** @type {HTMLElement} */ (main.querySelector("a.topic")).focus();
  else window.scrollTo(0, same ? height : byLink ? 0 : (positions.get(now) ?? 0));
  [shownAt, byLink, focusFirst] = [now, false, false];
}

/** @param {1 | -1} step */
function toNeighbour(step) {
  const place = placeOf(location.hash);
  if (place.view === "topic") {
    const address = neighbour(place, step);
    if (address) go(address, true);
    return;
  }
  const links = /** @type {HTMLElement[]} */ ([...main.querySelectorAll("a.topic")]);
  const at = links.indexOf(/** @type {HTMLElement} */ (document.activeElement));
  const next = links[at < 0 ? (step > 0 ? 0 : links.length - 1) : at + step];
  if (next) next.focus();
  else if (step > 0) {
    const link = main.querySelector('[data-key="page:Next"]');
    if (link instanceof HTMLAnchorElement) {
      focusFirst = true;
      go(link.hash);
    }
  }
}

/** @param {KeyboardEvent} event */
function pressed(event) {
  const within = /** @type {Element} */ (event.target).closest("input:not([type=checkbox]), select, textarea");
  if (within || event.ctrlKey || event.metaKey || event.altKey) return;
  const { view } = placeOf(location.hash);
  if ((event.key === "j" || event.key === "k") && (view === "topics" || view === "topic")) {
    event.preventDefault();
    toNeighbour(event.key === "j" ? 1 : -1);
  } else if (event.key === "/" && view === "topics") {
    event.preventDefault();
    document.getElementById("search")?.focus();
  }
}

/** @param {string} name a collection, or nothing for the overview of the suite; runs and measures stay chosen */
function toCollection(name) {
  const url = new URL(location.href);
  url.search = name ? `?collection=${encodeURIComponent(name)}` : "";
  const { view } = placeOf(location.hash);
  if (!name || !collectionShown || !["topics", "pairs", "measures"].includes(view)) url.hash = "";
  location.assign(url);
}

/** The switch between the collections of a suite. */
function collectionSwitch() {
  if (collectionNames.length === 0) return;
  const options = ["", ...collectionNames].map((name) => element("option", { value: name, selected: name === collectionShown }, name ? shortened(name, 40) : "All collections"));
  const change = (/** @type {Event} */ event) => toCollection(/** @type {HTMLSelectElement} */ (event.target).value);
  document.getElementById("collections")?.append(element("select", { "aria-label": "Collection", autocomplete: "off", change }, ...options));
}

function isDark() {
  return document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
}

function themes() {
  const button = document.getElementById("theme");
  const theme = kept("localStorage", "cranfield theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
  const tell = () => {
    if (button) button.textContent = isDark() ? "Light" : "Dark";
  };
  button?.addEventListener("click", () => {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    kept("localStorage", "cranfield theme", next);
    tell();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
  tell();
}

window.addEventListener("beforeprint", () => toPaper(true));
window.addEventListener("afterprint", () => toPaper(false));
history.scrollRestoration = "manual";
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[href]");
  if (link?.classList.contains("skip")) {
    event.preventDefault();
    main.focus();
  } else if (link) {
    positions.set(location.hash || "#", window.scrollY); // a search may have changed it since
    byLink = true;
  }
});
document.addEventListener("keydown", pressed);
window.addEventListener("hashchange", show);
themes();
collectionSwitch();
recallTicks();
show();
performance.mark("shown");
