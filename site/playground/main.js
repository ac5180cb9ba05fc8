/**
 * The page "Try it": what a person sees and does, and when the commands run.
 *
 * @import {Finding} from "./findings.js"
 * @import {Files, Result} from "./runner.js"
 * @import {State} from "./share.js"
 * @typedef {{title: string, files: Files, config: string, stored: {diff: Result, findings: Result}}} Example
 * @typedef {"diff" | "findings" | "explain"} Tab
 */

import { completionOf } from "./completion.js";
import { DiffView, Editor } from "./editors.js";
import { droppedFiles, pickedFiles, read } from "./files.js";
import { element, failure, findingsOf, judged, showFindings } from "./findings.js";
import { Runner, Stopped } from "./runner.js";
import { packed, unpacked } from "./share.js";

const FIRST_FILE = "manifests.yaml";
/** After this time without a key the commands run. */
const PAUSE = 600;
/** Milliseconds: a newer text waits so long for a run of an older one, which is then ended; a new worker takes as long. */
const SHORT_RUN = 3000;
/** Characters up to which every program takes a link. */
const SHORT_LINK = 8000;
const EMPTY_CONFIG = `apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: http://proxy.corp.example:3128
  httpsProxy: http://proxy.corp.example:3128
  noProxy: [10.0.0.0/8, .corp.example]
`;

/**
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 * @returns {Kind}
 */
function byId(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) {
    throw new TypeError(id);
  }
  return found;
}

/** @param {string} id */
const button = (id) => byId(id, HTMLButtonElement);
const fileSelect = byId("file", HTMLSelectElement);
const exampleSelect = byId("example", HTMLSelectElement);
const status = byId("status", HTMLElement);

const [data, schema] = await Promise.all(
  ["examples.json", "../schema/v1alpha1/proxyconfig.schema.json"].map((name) => fetch(name).then((found) => found.json())),
);
const examples = /** @type {Example[]} */ (data.examples);

// The colours that somebody chose on a page of the documentation, whose theme stores them under this name.
const palette = JSON.parse(localStorage.getItem(`${new URL("..", location.href).pathname}.__palette`) ?? "{}");
document.documentElement.style.colorScheme = { default: "light", slate: "dark" }[String(palette.color?.scheme)] ?? "";
const codes = /** @type {string[]} */ (data.codes);

// -- what is in the editors ------------------------------------------------------------------------------------------

const manifests = new Editor(byId("manifests", HTMLElement), "Manifests", edited, undefined, "Paste or add manifests");
const config = new Editor(byId("config", HTMLElement), "ProxyConfig", edited, completionOf(schema));
let files = /** @type {Files} */ ({});
let selected = FIRST_FILE;

/** Takes the text of the editor over, which is that of the selected file. */
function keepText() {
  files[selected] = manifests.text;
}

/** @param {string} name */
function select(name) {
  selected = name;
  manifests.text = files[name];
  fileSelect.value = name;
  markLines();
}

/** @param {State} state */
function load(state) {
  files = Object.keys(state.files).length > 0 ? { ...state.files } : { [FIRST_FILE]: "" };
  config.text = state.config;
  findings = [];
  listFiles();
}

/** @param {string} [wanted]  the file to show; the first one where it is not there */
function listFiles(wanted) {
  const names = Object.keys(files);
  fileSelect.replaceChildren(...names.map((name) => new Option(name, name)));
  fileSelect.disabled = names.length < 2;
  button("remove").disabled = names.length < 2;
  select(wanted !== undefined && wanted in files ? wanted : names[0]);
}

/** The name of the ProxyConfig beside the manifests. */
const configName = () => ("proxy.yaml" in files ? "proxy-config.yaml" : "proxy.yaml");

/** @returns {Files} */
const allFiles = () => ({ ...files, [configName()]: config.text });

/** Adds files; those that are there have a new text. The example that was there gives way to them. */
async function add(/** @type {Promise<import("./files.js").Found[]>} */ found) {
  try {
    const { files: more, config: text, notes } = await read(await found);
    const names = Object.keys(more);
    if (names.length === 0 && text === undefined) {
      say("None of these files is YAML or JSON");
      return;
    }
    keepText();
    const isOwn = exampleSelect.value === "";
    const kept = Object.entries(files).filter(([, content]) => content.trim() !== "");
    load({ files: { ...(isOwn ? Object.fromEntries(kept) : {}), ...more }, config: text ?? config.text });
    becomeOwn();
    say([`${names.length} ${names.length === 1 ? "file" : "files"} added`, ...notes].join("; "));
    start();
  } catch (error) {
    say(error instanceof Error ? error.message : "The files could not be read");
  }
}

/** Says that what is shown is no example any more. */
function becomeOwn() {
  exampleSelect.value = "";
  if (location.hash) {
    history.replaceState(null, "", location.pathname);
  }
}

// -- runs ------------------------------------------------------------------------------------------------------------

let isRunning = false;
/** Whether what runs is of an older text. */
let isOutdated = false;
let lastTime = 0;
let begun = 0;
let timer = 0;
let step = "Loading";
let isLoaded = false;
/** Whether what is shown was printed when the site was built. */
let isStored = false;
/** What was printed for the present state; the page of `explain` is made when somebody looks. */
const results = /** @type {Partial<Record<Tab, Result>>} */ ({});
let findings = /** @type {Finding[]} */ ([]);

// A run shows the step; without one, as behind a stop, what was said last stays.
const runner = new Runner((text, isRun) => {
  step = text;
  isLoaded = isRun;
  begun = performance.now();
});

/** @param {string} text */
function say(text) {
  status.textContent = text;
}

function edited() {
  keepText();
  becomeOwn();
  outdate();
  clearTimeout(timer);
  timer = setTimeout(start, PAUSE);
}

/** Forgets what was printed; what is shown of it is dim until that of the present text is there. */
function outdate() {
  isOutdated = isRunning;
  isStored = false;
  for (const name of TABS) {
    delete results[name];
    panels[name].ariaBusy = "true";
  }
  showCommand();
}

/** The arguments of the command behind each tab. */
function commandLines() {
  const last = ["--config", configName(), "."];
  return {
    diff: ["run", "--diff", ...last],
    findings: ["run", "--check", "--output", "sarif", ...last],
    explain: ["explain", "--output", "html", ...last],
  };
}

/** Runs all that is wanted for what is in the editors now; what runs already goes on, or is ended, before that. */
function start() {
  clearTimeout(timer);
  keepText();
  outdate();
  if (!isRunning) {
    run(tab === "explain" ? ["explain", "diff", "findings"] : ["diff", "findings"]);
  }
}

/**
 * Shows an example, what was printed about it when the site was built, and soon what is printed now.
 *
 * @param {Example} example
 */
function begin(example) {
  load(example);
  start();
  show("diff", example.stored.diff);
  show("findings", example.stored.findings);
  isStored = true;
  tick();
}

/** @param {Tab[]} names */
async function run(names) {
  const lines = commandLines();
  isRunning = true;
  isOutdated = false;
  begun = performance.now();
  button("stop").hidden = false;
  document.body.classList.add("running");
  const ticking = setInterval(tick, 250);
  tick();
  try {
    lastTime = await runner.run(allFiles(), names.map((name) => lines[name]), (index, result) => {
      if (!isOutdated) {
        isStored = false;
        show(names[index], result);
      }
    });
    if (!isOutdated) {
      say(summary());
    }
  } catch (error) {
    say(error instanceof Stopped ? "Stopped: press Run to try again" : `Not finished: ${/** @type {Error} */ (error).message}`);
  } finally {
    clearInterval(ticking);
    isRunning = false;
    button("stop").hidden = true;
    document.body.classList.remove("running");
  }
  if (isOutdated) {
    start();
  } else {
    lookAtExplain();
  }
}

/** Shows how long the step takes, and ends it where nobody waits for it; screen readers hear each step once. */
function tick() {
  const time = performance.now() - begun;
  if (isOutdated && isLoaded && time > SHORT_RUN) {
    runner.stop();
  }
  const seconds = Math.floor(time / 1000);
  status.ariaLive = seconds > 0 ? "off" : "polite";
  const shown = isStored ? "; a stored result is shown" : "";
  say(seconds > 0 ? `${step}, ${seconds} s${shown}` : `${step}${shown}`);
}

function summary() {
  status.ariaLive = "polite";
  const lines = results.diff?.reported.trimEnd().split("\n") ?? [];
  const last = lines[lines.length - 1].replace("inject-proxy run: ", "");
  return `${last.startsWith("[error]") ? "The command failed" : last} (${(lastTime / 1000).toFixed(1)} s)`;
}

// -- what is shown ---------------------------------------------------------------------------------------------------

const TABS = /** @type {Tab[]} */ (["diff", "findings", "explain"]);
let tab = /** @type {Tab} */ ("diff");
const panels = {
  diff: byId("panel-diff", HTMLElement),
  findings: byId("panel-findings", HTMLElement),
  explain: byId("panel-explain", HTMLElement),
};
const diffBox = element("div", { className: "diff" });
const diffView = new DiffView(diffBox);

/**
 * @param {Tab} name
 * @param {Result} result
 */
function show(name, result) {
  results[name] = result;
  ({ diff: showDiff, findings: showCheck, explain: showPage })[name](result);
  panels[name].ariaBusy = "false";
  showCommand();
}

/** @param {Result} result */
function showDiff(result) {
  diffView.text = result.output;
  const parts = [];
  if (result.exitCode !== 0) {
    parts.push(failure(result.reported, codes));
  } else if (result.output === "") {
    parts.push(element("p", { className: "calm" }, "Nothing would change."));
  }
  if (result.output !== "") {
    parts.push(diffBox);
  }
  panels.diff.replaceChildren(...parts);
}

/** @param {Result} result */
function showCheck(result) {
  findings = findingsOf(result.output);
  if (result.output) {
    showFindings(panels.findings, findings, results.diff ?? result, goTo);
  } else {
    panels.findings.replaceChildren(failure(result.reported, codes));
  }
  const number = judged(findings).length;
  button("tab-findings").textContent = number > 0 ? `Findings (${number})` : "Findings";
  markLines();
}

let pageAddress = "";

/** @param {Result} page */
function showPage(page) {
  if (page.exitCode !== 0) {
    panels.explain.replaceChildren(failure(page.reported, codes));
    return;
  }
  // An address of its own: in a `srcdoc` the links to its sections would lead to this page.
  URL.revokeObjectURL(pageAddress);
  pageAddress = URL.createObjectURL(new Blob([page.output], { type: "text/html;charset=utf-8" }));
  const frame = element("iframe", { title: "What inject-proxy explain says", src: pageAddress });
  // No script runs in it; with the origin of this page its links to itself work. A link to a code opens beside it.
  frame.setAttribute("sandbox", "allow-same-origin allow-popups allow-popups-to-escape-sandbox");
  panels.explain.replaceChildren(frame);
}

/** Shows the command that prints the same in a shell. */
function showCommand() {
  byId("command", HTMLElement).textContent = `inject-proxy ${commandLines()[tab].join(" ")}`;
  button("copy").disabled = !results[tab];
}

/** @param {Tab} wanted */
function open(wanted) {
  tab = wanted;
  for (const name of TABS) {
    const isOpen = name === tab;
    panels[name].hidden = !isOpen;
    button(`tab-${name}`).ariaSelected = String(isOpen);
    button(`tab-${name}`).tabIndex = isOpen ? 0 : -1;
  }
  showCommand();
  lookAtExplain();
}

/** Runs `explain` where somebody looks at it and it is not there yet. */
function lookAtExplain() {
  if (tab === "explain" && !results.explain && !isRunning && results.diff) {
    run(["explain"]);
  }
}

/** Marks the lines of findings in both editors. */
function markLines() {
  const severities = /** @type {const} */ ({ error: "error", warning: "warning", note: "info" });
  /** @param {string} name */
  const marksOf = (name) =>
    judged(findings)
      .filter(({ file }) => file === name)
      .map(({ line, column, level, text }) => ({ line, column, severity: severities[level], message: text }));
  manifests.mark(marksOf(selected));
  config.mark(marksOf(configName()));
}

/**
 * @param {string} file
 * @param {number} line
 * @param {number} column
 */
function goTo(file, line, column) {
  if (file === configName()) {
    config.showPlace(line, column);
  } else if (file in files) {
    keepText();
    select(file);
    manifests.showPlace(line, column);
  }
}

// -- sharing ---------------------------------------------------------------------------------------------------------

async function share() {
  keepText();
  say("Making a link without credentials");
  try {
    const masked = await runner.masked(allFiles());
    const { [configName()]: text, ...others } = masked;
    const hash = await packed({ files: others, config: text });
    const link = `${location.origin}${location.pathname}#${hash}`;
    const isSame = JSON.stringify(masked) === JSON.stringify(allFiles());
    const notes = [isSame ? "It holds the manifests and the ProxyConfig." : "Credentials and what Secrets hold are not in it: a placeholder is in their place."];
    if (link.length > SHORT_LINK) {
      notes.push(`It has ${link.length} characters, and some programs cut such links.`);
    }
    byId("share-note", HTMLElement).textContent = notes.join(" ");
    byId("share-link", HTMLInputElement).value = link;
    byId("share-dialog", HTMLDialogElement).showModal();
    byId("share-link", HTMLInputElement).select();
    say("The link is ready");
  } catch (error) {
    say(`No link could be made: ${/** @type {Error} */ (error).message}`);
  }
}

/** @returns {Promise<boolean>}  whether the link of the page held a state */
async function restore() {
  const hash = location.hash.slice(1);
  if (!hash) {
    return false;
  }
  try {
    load(await unpacked(hash));
    exampleSelect.value = "";
    return true;
  } catch {
    say("The link could not be read: it is not complete, or of another version");
    return false;
  }
}

/** @param {string} text */
async function copy(text, /** @type {HTMLButtonElement} */ from) {
  const label = from.textContent;
  try {
    await navigator.clipboard.writeText(text);
    from.textContent = "Copied";
  } catch {
    from.textContent = "Not allowed";
  }
  setTimeout(() => {
    from.textContent = label;
  }, 1500);
}

// -- events ----------------------------------------------------------------------------------------------------------

exampleSelect.append(
  new Option("Your own", ""),
  ...examples.map(({ title }, index) => new Option(title, String(index))),
);
exampleSelect.addEventListener("change", () => {
  const example = examples[Number(exampleSelect.value)];
  const isOwn = exampleSelect.value === "";
  history.replaceState(null, "", location.pathname);
  if (isOwn) {
    load({ files: {}, config: EMPTY_CONFIG });
    start();
  } else {
    begin(example);
  }
});
fileSelect.addEventListener("change", () => {
  keepText();
  select(fileSelect.value);
});
button("remove").addEventListener("click", () => {
  delete files[selected];
  listFiles();
  edited();
});
button("run").addEventListener("click", start);
button("stop").addEventListener("click", () => {
  isOutdated = false; // who stops a run wants none to begin, also where the text has changed since
  runner.stop();
});
button("share").addEventListener("click", share);
button("share-close").addEventListener("click", () => byId("share-dialog", HTMLDialogElement).close());
button("share-copy").addEventListener("click", () => copy(byId("share-link", HTMLInputElement).value, button("share-copy")));
button("copy").addEventListener("click", () => {
  const text = { diff: results.diff?.output, findings: results.diff?.reported, explain: results.explain?.output }[tab];
  copy(text ?? "", button("copy"));
});
for (const kind of ["files", "folder"]) {
  const input = byId(`pick-${kind}`, HTMLInputElement);
  button(`add-${kind}`).addEventListener("click", () => input.click());
  input.addEventListener("change", () => {
    add(Promise.resolve(pickedFiles(/** @type {FileList} */ (input.files))));
    input.value = "";
  });
}
TABS.forEach((name, index) => {
  button(`tab-${name}`).addEventListener("click", () => open(name));
  button(`tab-${name}`).addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) {
      const next = TABS[(index + by + TABS.length) % TABS.length];
      open(next);
      button(`tab-${next}`).focus();
    }
  });
});
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    start();
  }
}, { capture: true });
document.addEventListener("dragover", (event) => {
  // Text that is moved within an editor is the editor's.
  if (event.dataTransfer?.types.includes("Files")) {
    event.preventDefault();
    document.body.classList.add("dropping");
  }
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) {
    document.body.classList.remove("dropping");
  }
});
document.addEventListener("drop", (event) => {
  document.body.classList.remove("dropping");
  if (event.dataTransfer?.types.includes("Files")) {
    event.preventDefault();
    add(droppedFiles(event.dataTransfer));
  }
}, { capture: true });
window.addEventListener("hashchange", async () => {
  if (await restore()) {
    start();
  }
});

showCommand();
if (await restore()) {
  start();
} else {
  exampleSelect.value = "0";
  begin(examples[0]);
}
