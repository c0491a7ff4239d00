// @ts-check
// How to make the page again, and what it leaves out.
import { copyText } from "./copying.js";
import { report } from "./data.js";
import { announce, element, prose, readable, told } from "./dom.js";

export function about() {
  const facts = report.reproduce.flatMap(({ label, value }) => [element("dt", {}, prose(label)), element("dd", {}, element("code", {}, readable(value)))]);
  const text = report.reproduce.map(({ label, value }) => `${label}: ${value}\n`).join("");
  return [
    element("h1", {}, "About this report"),
    element("section", {}, element("h2", {}, "How to reproduce it"), element("dl", { class: "reproduce" }, ...facts),
      element("p", {}, element("button", { type: "button", click: async () => announce((await copyText(text)) ? "Copied" : "The browser does not allow pages to copy") }, "Copy"))),
    element("section", {}, element("h2", {}, "What is omitted"),
      report.left_out.length ? element("ul", {}, ...report.left_out.map((x) => element("li", {}, told(x)))) : element("p", {}, "Nothing.")),
    element("section", {}, element("h2", {}, "How to read it"), element("ul", {},
      element("li", {}, "Every view has its own address, which you can copy from the browser."),
      element("li", {}, "Click a value of the leaderboard to see its topics, and a topic to see its rankings."),
      element("li", {}, element("kbd", {}, "j"), " and ", element("kbd", {}, "k"), " go to the next and the previous topic, ", element("kbd", {}, "/"), " to the search."),
      element("li", {}, "The report loads and sends no data. Selected documents stay in this browser."))),
  ];
}
