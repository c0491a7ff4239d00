// @ts-check
// Every state of the page is in its address: who sends it, sends what they see.

/** @typedef {Record<string, string | undefined>} Parameters */
/** @typedef {{ view: string, id: string, parameters: Parameters }} Place */

/** @param {string} text */
function encoded(text) {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, "\ufffd")); // half a character has no code
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * What an address asks for: `#VIEW/ID?NAME=VALUE&…`.
 * @param {string} hash
 * @returns {Place}
 */
export function placeOf(hash) {
  const [path, query = ""] = hash.replace(/^#/, "").split(/\?(.*)/s);
  const [view, id = ""] = path.split(/\/(.*)/s);
  /** @type {Parameters} */
  const parameters = {};
  for (const part of query.split("&").filter(Boolean)) {
    const [name, value = ""] = part.split(/=(.*)/s);
    parameters[decoded(name)] = decoded(value);
  }
  return { view: decoded(view), id: decoded(id), parameters };
}

/**
 * The address of a place; parameters that are not given are not written.
 * @param {string} view
 * @param {string} id
 * @param {Parameters} parameters
 */
export function addressOf(view, id, parameters) {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${encoded(name)}=${encoded(value ?? "")}`)
    .join("&");
  return `#${encoded(view)}${id === "" ? "" : "/" + encoded(id)}${query ? "?" + query : ""}`;
}

/**
 * The address of the same place with other parameters.
 * @param {Place} place
 * @param {Parameters} changed
 */
export function changedAddress(place, changed) {
  return addressOf(place.view, place.id, { ...place.parameters, ...changed });
}

/**
 * Go there; with `instead`, the browser's way back leads past here.
 * @param {string} address
 * @param {boolean} [instead]
 */
export function go(address, instead = false) {
  if (instead) location.replace(address);
  else location.hash = address;
}
