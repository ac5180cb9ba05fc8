/**
 * The page "Try it" in a real browser, beside the command on the same files: what a person does, sees, and what leaves the page.
 *
 * One page serves most tests, because each load of Python takes seconds.
 */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { inflateRawSync } from "node:zlib";

import { ROOT, browserPath, chromium, foreignRequests, run, serve } from "./command.mjs";

const EXAMPLES = JSON.parse(readFileSync(join(ROOT, "build/site/try/examples.json"), "utf8")).examples;
const PATIENCE = 120_000;
const NODE = `apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlane
metadata:
  name: prod-control-plane # ours
spec:
  kubeadmConfigSpec: {}
`;
const PASSWORD = "Sesame/42:open";
const OTHER_PASSWORD = "Kettle-Drum-9";
const URL_OF_PROXY = `http://svc:${encodeURIComponent(PASSWORD)}@proxy.corp.example:3128`;
const CONFIG = `apiVersion: fn.inject-proxy.io/v1alpha1
kind: ProxyConfig
metadata:
  name: proxy
spec:
  httpProxy: ${URL_OF_PROXY}
  httpsProxy: ${URL_OF_PROXY}
`;
const SECRET = `apiVersion: v1
kind: Secret
metadata:
  name: proxy
data:
  url: ${Buffer.from(URL_OF_PROXY).toString("base64")}
stringData:
  password: ${OTHER_PASSWORD}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: notes
data:
  note: the password is ${PASSWORD}, or ${Buffer.from(PASSWORD).toString("base64")}, and that of the Secret ${OTHER_PASSWORD}
`;
const FIRST = "manifests.yaml";
const DIFF = ["run", "--diff", "--config", "proxy.yaml", "."];

let site = /** @type {Awaited<ReturnType<typeof serve>>} */ ({});
let foreign = /** @type {Awaited<ReturnType<typeof foreignRequests>>} */ ({});
let browser = /** @type {import("playwright-core").Browser} */ ({});
let context = /** @type {import("playwright-core").BrowserContext} */ ({});
let page = /** @type {import("playwright-core").Page} */ ({});
/** @type {string[]} */
const complaints = [];

before(async () => {
  site = await serve();
  foreign = await foreignRequests();
  // What the browser itself asks for (updates, a list of fields to fill in) goes nowhere; what pages ask for, to the judge.
  browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox", "--disable-features=AutofillServerCommunication"], proxy: { server: "http://127.0.0.1:9" } });
  const proxy = { server: foreign.address, bypass: "127.0.0.1" };
  context = await browser.newContext({ viewport: { width: 1400, height: 900 }, permissions: ["clipboard-read", "clipboard-write"], proxy });
  context.setDefaultTimeout(PATIENCE);
  page = await opened("try/");
  await finished();
}, { timeout: 2 * PATIENCE });

after(async () => {
  await browser?.close?.();
  site.end?.();
  foreign.end?.();
});

/** @param {string} path */
async function opened(path) {
  const one = await context.newPage();
  one.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  one.on("pageerror", (error) => complaints.push(error.message));
  await one.goto(site.address + path);
  return one;
}

/** Waits until nothing runs and the diff of the present state is there. */
async function finished(on = page) {
  await on.waitForFunction(() => !document.body.classList.contains("running") && /[\d.]+ s\)$/.test(document.querySelector("#status")?.textContent ?? ""));
}

/** @param {() => Promise<unknown>} action  after it, the commands run again */
async function and(action) {
  await page.evaluate(() => {
    /** @type {HTMLElement} */ (document.querySelector("#status")).textContent = "";
  });
  await action();
  await finished();
}

/** @param {"diff" | "findings" | "explain"} tab */
async function copied(tab) {
  await page.click(`#tab-${tab}`);
  await page.waitForFunction(() => !(/** @type {HTMLButtonElement} */ (document.querySelector("#copy")).disabled));
  await page.evaluate(() => navigator.clipboard.writeText("nothing"));
  await page.click("#copy");
  await page.waitForFunction(async () => (await navigator.clipboard.readText()) !== "nothing");
  return page.evaluate(() => navigator.clipboard.readText());
}

/** @param {Record<string, string>} manifests @param {string} config */
async function assertLikeCommand(manifests, config) {
  const wanted = run({ ...manifests, "proxy.yaml": config }, DIFF);
  assert.equal(await copied("findings"), wanted.reported);
  await page.click("#tab-diff");
  if (wanted.output === "") {
    assert.equal(await page.locator("#panel-diff .diff").count(), 0);
  } else {
    assert.equal(await copied("diff"), wanted.output);
  }
  return wanted;
}

/** @param {string} manifests @param {string} config */
async function enter(manifests, config) {
  await and(() => page.selectOption("#example", { label: "Your own" }));
  await and(async () => {
    await page.locator("#manifests .cm-content").fill(manifests);
    await page.locator("#config .cm-content").fill(config);
    await page.click("#run");
  });
}

/** Drops what takes minutes to run. */
async function dropLong() {
  const long = Array.from({ length: 20_000 }, (_, number) => NODE.replace("prod-", `prod-${number}-`)).join("---\n");
  await page.setInputFiles("#pick-files", { name: "long.yaml", mimeType: "text/yaml", buffer: Buffer.from(long) });
  await page.waitForSelector("body.running");
}

describe("the examples", () => {
  for (const [index, { title, files, config }] of EXAMPLES.entries()) {
    test(`${title}: the same bytes as the command`, async () => {
      if (index === 0) {
        await and(() => page.selectOption("#example", "1")); // the page begins with the first one
      }
      await and(() => page.selectOption("#example", { label: title }));
      const { output } = await assertLikeCommand(files, config);
      assert.notEqual(output, "", "an example changes something");
    });
  }

  test("explain shows its page, the same as the command, with its contents", async () => {
    const { title, files, config } = EXAMPLES[0];
    await and(() => page.selectOption("#example", { label: title }));
    const given = { ...files, "proxy.yaml": config };
    const [here, there] = [await copied("explain"), run(given, ["explain", "--output", "html", "--config", "proxy.yaml", "."]).output].map(
      (text) => text.replaceAll(/Folder .* UTC/g, ""),
    );
    assert.equal(here, there);
    const frame = page.frameLocator("iframe");
    assert.ok(await frame.getByRole("heading").first().isVisible());
    await frame.getByRole("link", { name: "Clusters", exact: true }).click();
    await frame.getByRole("heading", { name: "Clusters", exact: true }).waitFor();
    await page.click("#tab-diff");
  });
});

describe("what a person enters", () => {
  test("a manifest and a ProxyConfig with a password", async () => {
    await enter(NODE, CONFIG);
    const { output } = await assertLikeCommand({ [FIRST]: NODE }, CONFIG);
    assert.match(output, /svc:\*\*\*@proxy\.corp\.example/);
  });

  test("what is no YAML is a warning with its line, as the command words it, and the rest is written", async () => {
    const broken = `${NODE}---\nkind: KubeadmConfig\napiVersion: bootstrap.cluster.x-k8s.io/v1beta1\nspec: [\n`;
    await enter(broken, CONFIG);
    const { exitCode, reported, output } = run({ [FIRST]: broken, "proxy.yaml": CONFIG }, DIFF);
    assert.equal(exitCode, 0);
    // Only the words of the parser differ: the page has PyYAML without libyaml.
    const bare = (/** @type {string} */ text) => text.replace(/(not valid YAML: ).*(?= at line)/, "$1");
    const shown = await copied("findings");
    assert.equal(bare(shown), bare(reported));
    assert.match(shown, /TextUnreadable: .*not valid YAML: .* at line 11, column 1/);
    assert.equal(await copied("diff"), output);
    assert.notEqual(output, "");
  });

  test("a wrong ProxyConfig is worded as by the command, and its code leads to a page", async () => {
    const wrong = CONFIG.replace("httpProxy", "httProxy").replace("spec:", "spec:\n  mode: Injekt");
    await enter(NODE, wrong);
    await assertLikeCommand({ [FIRST]: NODE }, wrong);
    await page.click("#tab-findings");
    const link = page.locator(".findings li.error a").first();
    const target = await link.getAttribute("href");
    assert.match(target ?? "", /messages\/#configinvalid$/);
    const answer = await page.request.get(new URL(target ?? "", page.url()).href);
    assert.match(await answer.text(), /id="configinvalid"/);
    assert.ok((await page.locator("#config .cm-lint-marker-error").count()) > 0, "its line is marked");
    await page.getByRole("button", { name: "proxy.yaml:7:3" }).click();
    await page.keyboard.press("Shift+End");
    assert.equal(await page.evaluate(() => String(getSelection())), `httProxy: ${URL_OF_PROXY}`);
    await page.click("#tab-diff");
  });

  test("completion lists the fields of the schema", async () => {
    await enter(NODE, CONFIG);
    await page.locator("#config .cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  noP");
    await page.waitForSelector(".cm-tooltip-autocomplete");
    const offered = await page.locator(".cm-tooltip-autocomplete li").allInnerTexts();
    assert.ok(offered.some((one) => one.startsWith("noProxyPolicy")));
    await page.keyboard.press("Escape");
  });

  test("a folder with its ProxyConfig", async () => {
    const { files, config } = EXAMPLES[0];
    await and(() => page.selectOption("#example", { label: "Your own" }));
    await and(() => page.setInputFiles("#pick-folder", join(ROOT, "examples/config-repo")));
    await and(() => page.setInputFiles("#pick-files", join(ROOT, "examples/demo/proxy.yaml")));
    await assertLikeCommand(files, config);
  });

  test("files that are dropped", async () => {
    await and(() => page.selectOption("#example", { label: "Your own" }));
    await and(() =>
      page.evaluate((text) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([text], "node.yaml"));
        document.querySelector("#manifests .cm-content")?.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
      }, NODE));
    assert.equal(await page.inputValue("#file"), "node.yaml");
    assert.match(await copied("diff"), /^--- a\/node\.yaml\n/);
  });
});

describe("a link", () => {
  test("holds no credential in any form, and gives back the rest", async () => {
    const manifests = `${NODE}---\n${SECRET}`;
    await enter(manifests, CONFIG);
    await page.click("#share");
    await page.waitForSelector("#share-dialog[open]");
    assert.match(await page.innerText("#share-note"), /Credentials and what Secrets hold are not in it/);
    const link = await page.inputValue("#share-link");
    await page.click("#share-close");

    const packed = new URL(link).hash.split(".")[1];
    const state = inflateRawSync(Buffer.from(packed, "base64url")).toString();
    const forms = [PASSWORD, encodeURIComponent(PASSWORD), "Sesame", "Kettle", ...[PASSWORD, URL_OF_PROXY, `svc:${PASSWORD}`].map((text) => Buffer.from(text).toString("base64"))];
    assert.deepEqual(forms.filter((form) => state.includes(form)), []);

    const other = await opened(`try/${new URL(link).hash}`);
    await finished(other);
    assert.match(await other.innerText("#config .cm-content"), /httpProxy: http:\/\/svc:hidden@proxy\.corp\.example:3128/);
    assert.match(await other.innerText("#manifests .cm-content"), /name: prod-control-plane # ours/);
    assert.match(await other.innerText("#panel-diff"), /svc:\*\*\*@proxy/);
    await other.close();
  });

  test("that is cut is an error, and the page works", async () => {
    const other = await opened("try/#1.AAAA");
    await finished(other);
    assert.equal(await other.inputValue("#example"), "0");
    await other.close();
  });
});

describe("the page", () => {
  test("answers while a long input runs, and can stop it", async () => {
    await dropLong();
    await page.click("#tab-findings");
    assert.equal(await page.getAttribute("#tab-findings", "aria-selected"), "true");
    const next = page.waitForEvent("worker");
    await page.evaluate(() => ["run", "stop"].forEach((id) => document.getElementById(id)?.click())); // a run would follow
    await (await next).evaluate(() => 0); // it has said that it loads
    assert.match(await page.innerText("#status"), /^Stopped: /);
    assert.equal(await page.locator("body.running").count(), 0);
    await page.click("#tab-diff");
    await and(() => page.selectOption("#example", "3"));
    await assertLikeCommand(EXAMPLES[3].files, EXAMPLES[3].config);
  });

  test("dims an older diff until the new one is there, whose text ends a long run", async () => {
    const older = await page.innerText("#panel-diff");
    await dropLong();
    assert.equal(await page.innerText("#panel-diff[aria-busy=true]"), older);
    assert.equal(await page.isDisabled("#copy"), true);
    const next = page.waitForEvent("worker");
    await page.locator("#config .cm-content").fill(CONFIG);
    await next;
    await and(() => page.selectOption("#example", "0"));
    assert.equal(await page.locator("[aria-busy=true]").getAttribute("id"), "panel-explain", "nobody looks at it");
    await assertLikeCommand(EXAMPLES[0].files, EXAMPLES[0].config);
  });

  test("can be used by keyboard, and each part has a name", async () => {
    await page.locator("#example").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "share");
    await page.locator("#manifests .cm-content").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement?.closest("#config") !== null), true, "Tab leaves an editor");
    await page.focus("#tab-diff");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.evaluate(() => document.activeElement?.id), "tab-findings");
    assert.ok(await page.locator("#panel-findings").isVisible());
    await page.keyboard.press("ArrowLeft");
    await and(() => page.keyboard.press("Control+Enter"));

    const nameless = await page.evaluate(() =>
      [...document.querySelectorAll("button, select, input:not([hidden]), a, iframe, [contenteditable=true]")]
        .filter((one) => !(one.textContent?.trim() || one.getAttribute("aria-label") || one.getAttribute("title") || /** @type {HTMLInputElement} */ (one).labels?.length))
        .map((one) => one.outerHTML.slice(0, 80)));
    assert.deepEqual(nameless, []);
    assert.equal(await page.getAttribute("#status", "role"), "status");
  });

  test("fits a telephone", async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const tab of ["findings", "explain", "diff"]) {
      await page.click(`#tab-${tab}`);
      assert.ok((await page.evaluate(() => document.scrollingElement?.scrollWidth ?? 0)) <= 390, tab);
    }
    await page.setViewportSize({ width: 1400, height: 900 });
  });

  test("asks no other host, and cannot", async () => {
    assert.deepEqual(foreign.seen, []);
    const refused = await page.evaluate(() => fetch("http://elsewhere.example/").then(() => "answered", () => "refused"));
    assert.equal(refused, "refused");
    const inWorker = await Promise.all(page.workers().map((worker) => worker.evaluate("[typeof fetch, typeof XMLHttpRequest, typeof WebSocket]")));
    assert.deepEqual(inWorker, [["undefined", "undefined", "undefined"]]);
    assert.deepEqual(foreign.seen, []);

    const free = await context.newPage();
    await free.goto("about:blank");
    await free.evaluate(() => fetch("http://elsewhere.example/").catch(() => {}));
    assert.equal(foreign.seen.length, 1, "the judge sees a request where nothing forbids it");
    await free.close();
  });

  test("shows a stored result at once, the same as the command, before Python is there", async () => {
    const other = await context.newPage();
    await other.route("**/pyodide/**", () => {}); // never answered
    await other.goto(`${site.address}try/`);
    const { files, config, stored } = EXAMPLES[0];
    await other.waitForSelector("#panel-diff .added");
    assert.match(await other.innerText("#status"), /a stored result is shown/);
    assert.equal(stored.diff.output, run({ ...files, "proxy.yaml": config }, DIFF).output);
    assert.match(await other.innerText("#tab-findings"), /\(\d+\)/);
    await other.close();
  });

  test("has the diff first on a telephone, and the colours that the documentation has", async () => {
    const proxy = { server: foreign.address, bypass: "127.0.0.1" };
    const phone = await browser.newContext({ viewport: { width: 390, height: 844 }, colorScheme: "light", proxy });
    const home = await phone.newPage();
    await home.goto(site.address);
    const picture = home.locator("article img");
    const [natural, shown] = await picture.evaluate((one) => [/** @type {HTMLImageElement} */ (one).naturalWidth, one.clientWidth]);
    assert.ok(shown > 0.9 * natural, "its text is not made smaller");
    for (const name of ["Use light colours", "Use dark colours"]) {
      await home.getByTitle(name, { exact: true }).click();
    }
    assert.equal(await home.evaluate(() => document.body.dataset.mdColorScheme), "slate");
    await home.goto(`${site.address}try/`);
    await home.waitForSelector("#panel-diff .added");
    const [result, config] = await Promise.all([".result", ".config"].map((name) => home.locator(name).boundingBox()));
    assert.ok(result && config && result.y < config.y);
    assert.match(await home.evaluate(() => getComputedStyle(document.body).color), /rgb\(2/);
    await phone.close();
  });

  test("is reached from the home, below its picture and above its text", async () => {
    const home = await opened("");
    const [sentence, picture, button, text] = await home.locator("article img, article .md-button, article p:not(:has(img, a))").all();
    assert.match(await sentence.innerText(), /^inject-proxy writes/);
    assert.ok(await picture.evaluate((image) => /** @type {HTMLImageElement} */ (image).naturalWidth > 0), "its picture is there");
    assert.match(await text.innerText(), /proxy/);
    await button.click();
    await finished(home);
    assert.match(home.url(), /\/try\/$/);
    await home.close();
  });

  test("is in the navigation of the documentation, which can be searched", async () => {
    // A link with the words: what is typed before the page listens is never looked for.
    const docs = await opened("?q=ProxyReplaced");
    await docs.getByLabel("Search", { exact: true }).first().waitFor();
    await docs.waitForSelector(".md-search-result__link");
    assert.equal((await docs.locator('.md-nav--primary .md-nav__link[href$="try/"]').innerText()).trim(), "Try it");
    const howTo = await docs.locator(".md-nav--primary .md-nav__link[href*='/howto/']").allInnerTexts();
    assert.deepEqual(howTo.filter((title) => title.includes("How to")), []);
    assert.ok(howTo.length > 8);
    await docs.close();
  });

  test("complained about nothing but what it refused", () => {
    const unexpected = complaints.filter((text) => !/elsewhere\.example|Content Security Policy/.test(text));
    assert.deepEqual(unexpected, []);
  });
});
