/**
 * The findings of `inject-proxy run --check --output sarif`, as a list with links.
 *
 * @import {Result} from "./runner.js"
 * @typedef {"error" | "warning" | "note"} Level
 * @typedef {{code: string, level: Level, text: string, file: string, line: number, column: number, cause: string, remedy: string}} Finding
 */

/** The code of a change that is due: the diff shows it. */
const DUE = "ProxyMissing";
const MESSAGES = "../krm_fn/krm/messages/";

/**
 * Returns the findings of a log in SARIF 2.1.0, the most severe first; none where the command printed no log.
 *
 * @param {string} log
 * @returns {Finding[]}
 */
export function findingsOf(log) {
  if (!log) {
    return [];
  }
  const [run] = JSON.parse(log).runs;
  /** @type {Map<string, {shortDescription: {text: string}, help: {text: string}}>} */
  const rules = new Map(run.tool.driver.rules.map((/** @type {{id: string}} */ rule) => [rule.id, rule]));
  return run.results.map((/** @type {any} */ result) => {
    const place = result.locations?.[0].physicalLocation;
    return {
      code: result.ruleId,
      level: result.level,
      text: result.message.text,
      file: place ? decodeURIComponent(place.artifactLocation.uri) : "",
      line: place?.region?.startLine ?? 0,
      column: place?.region?.startColumn ?? 1,
      cause: rules.get(result.ruleId)?.shortDescription.text ?? "",
      remedy: rules.get(result.ruleId)?.help.text ?? "",
    };
  });
}

/**
 * Returns the findings that are no changes, which the diff shows.
 *
 * @param {Finding[]} findings
 */
export const judged = (findings) => findings.filter(({ code }) => code !== DUE);

/**
 * Shows findings.
 *
 * @param {HTMLElement} parent  what it holds is replaced
 * @param {Finding[]} findings
 * @param {Result} run  what `run --diff` printed: its lines on standard error
 * @param {(file: string, line: number, column: number) => void} goTo
 */
export function showFindings(parent, findings, run, goTo) {
  const shown = judged(findings);
  const due = findings.length - shown.length;
  const parts = [];
  if (shown.length === 0) {
    parts.push(element("p", { className: "calm" }, "No errors and no warnings."));
  }
  if (due > 0) {
    const sentence = `${due === 1 ? "1 change is" : `${due} changes are`} due, which \`--check\` reports as \`${DUE}\`; the diff shows them.`;
    const paragraph = element("p", { className: "calm" });
    paragraph.append(...withCode(sentence));
    parts.push(paragraph);
  }
  const list = element("ul", { className: "findings" });
  list.append(...shown.map((finding) => itemOf(finding, goTo)));
  parts.push(list, linesOf(run.reported));
  parent.replaceChildren(...parts);
}

/**
 * Shows what a command that failed printed.
 *
 * @param {string} reported  its lines on standard error
 * @param {string[]} codes  those that have a section in the page about messages
 * @returns {HTMLElement}
 */
export function failure(reported, codes) {
  const box = element("div", { className: "failure" });
  for (const line of reported.trimEnd().split("\n")) {
    const paragraph = element("p");
    const code = codes.find((name) => line.includes(`${name}:`));
    if (code) {
      const at = line.indexOf(`${code}:`);
      paragraph.append(line.slice(0, at), linkTo(code), line.slice(at + code.length));
    } else {
      paragraph.textContent = line;
    }
    box.append(paragraph);
  }
  return box;
}

/**
 * @param {Finding} finding
 * @param {(file: string, line: number, column: number) => void} goTo
 */
function itemOf({ code, level, text, file, line, column, cause, remedy }, goTo) {
  const item = element("li", { className: level });
  const head = element("p", { className: "head" });
  head.append(element("span", { className: "level" }, level), linkTo(code));
  if (file) {
    const place = element("button", { type: "button", className: "place" }, `${file}:${line}:${column}`);
    place.addEventListener("click", () => goTo(file, line, column));
    head.append(place);
  }
  const message = element("p");
  message.append(...withCode(text.replace(`${code}: `, "")));
  const more = element("details");
  const causes = element("p");
  causes.append(...withCode(cause));
  const remedies = element("p");
  remedies.append(...withCode(remedy));
  more.append(element("summary", {}, "Cause and remedy"), causes, remedies);
  item.append(head, message, more);
  return item;
}

/** @param {string} reported */
function linesOf(reported) {
  const details = element("details", { className: "lines" });
  details.append(element("summary", {}, "Standard error of the command"), element("pre", { tabIndex: 0 }, reported));
  return details;
}

/** @param {string} code */
const linkTo = (code) => element("a", { href: `${MESSAGES}#${code.toLowerCase()}`, target: "_blank", rel: "noopener" }, code);

/**
 * Returns a text with what is in back-quotes as code.
 *
 * @param {string} text
 * @returns {(string | HTMLElement)[]}
 */
function withCode(text) {
  return text.split("`").map((part, number) => (number % 2 ? element("code", {}, part) : part));
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Partial<HTMLElementTagNameMap[Tag]>} properties
 * @param {string} text
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, properties = {}, text = "") {
  const made = Object.assign(document.createElement(tag), properties);
  if (text) {
    made.textContent = text;
  }
  return made;
}
