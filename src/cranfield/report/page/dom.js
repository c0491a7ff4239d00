// @ts-check
// Elements, made of text only: whatever stands in the data, nothing of it becomes markup.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, unknown>} Attributes */

const SVG = "http://www.w3.org/2000/svg";
const LONGEST = 72; // characters of a name; the whole is told by its title

/**
 * @param {Element} made
 * @param {Attributes} attributes
 * @param {Child[]} children
 */
function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      made.addEventListener(name, /** @type {EventListener} */ (value));
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    made.append(child instanceof Node ? child : String(child));
  }
}

/**
 * An element; an attribute that is a function listens to the event of its name.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  filled(made, attributes, children);
  return made;
}

/**
 * An element of a picture.
 * @param {string} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 */
export function drawn(tag, attributes = {}, ...children) {
  const made = /** @type {SVGElement} */ (document.createElementNS(SVG, tag));
  filled(made, attributes, children);
  return made;
}

/** @param {string} character */
function escape(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code < 256) return "\\x" + code.toString(16).padStart(2, "0");
  if (code < 65536) return "\\u" + code.toString(16).padStart(4, "0");
  return "\\U" + code.toString(16).padStart(8, "0");
}

/**
 * A name whose unseen characters, such as marks of direction, are written as escapes.
 * @param {string} name
 */
export function readable(name) {
  return name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/gu, escape);
}

/**
 * A text of people, in whose language joiners mean something; breaks become blanks.
 * @param {string} text
 */
export function prose(text) {
  return text.replace(/\s+/gu, " ").replace(/(?![\u200c\u200d\u00ad])[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/gu, escape);
}

/**
 * A name cut in its middle, since many begin, and many end, alike.
 * @param {string} name
 * @param {number} [longest]
 */
export function shortened(name, longest = LONGEST) {
  const characters = [...readable(name)];
  if (characters.length <= longest) return characters.join("");
  const end = Math.floor(longest / 3);
  return characters.slice(0, longest - end - 1).join("") + "…" + characters.slice(-end).join("");
}

/**
 * A name as an element: apart from the direction of what is around it, and cut if it is long.
 * @param {string} name
 * @param {number} [longest]
 */
export function named(name, longest = LONGEST) {
  const short = shortened(name, longest);
  const whole = readable(name);
  return element("bdi", { class: "name", title: short === whole ? null : whole }, short === "" ? "(empty)" : short);
}

/**
 * A text of people as an element.
 * @param {string} text
 * @param {string} [kind]
 */
export function told(text, kind) {
  return element("bdi", { class: kind ?? null }, prose(text));
}

/**
 * A text of people with its lines as they are.
 * @param {string} text
 */
export function lined(text) {
  return element("bdi", { class: "long" }, text.split(/\r\n?|\n/u).map(prose).join("\n"));
}

/**
 * A text of people of which a few lines are seen, and the whole when it is pointed at.
 * @param {string} text
 * @param {string} [kind]
 */
export function begun(text, kind = "") {
  const whole = prose(text);
  return element("bdi", { class: `begun ${kind}`.trim(), title: whole.length > 80 ? whole : null }, whole);
}

/** @param {"A" | "B"} letter one of two runs, in the colour of its bars */
export function which(letter) {
  return element("span", { class: `which ${letter.toLowerCase()}` }, letter);
}

/** @param {string} text for those who hear the page only */
export function heard(text) {
  return element("span", { class: "heard" }, text);
}

/**
 * Tell what was done, also to those who do not see it.
 * @param {string} text
 */
export function announce(text) {
  const place = document.getElementById("said");
  if (!place) return;
  place.textContent = text;
  place.classList.add("seen");
  setTimeout(() => {
    if (place.textContent === text) place.classList.remove("seen");
  }, 4000);
}

/**
 * What the reader's browser keeps for this page, if it keeps anything for files at all.
 * @param {"localStorage" | "sessionStorage"} kind
 * @param {string} key
 * @param {string} [value] kept, if it is given
 * @returns {string | null}
 */
export function kept(kind, key, value) {
  try {
    if (value === undefined) return window[kind].getItem(key);
    window[kind].setItem(key, value);
    return value;
  } catch {
    return null;
  }
}
