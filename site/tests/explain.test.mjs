/**
 * The page of `inject-proxy explain` in a real browser: it fits each screen, can be read, filtered, printed and used by keyboard, and
 * asks nobody for anything.
 */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";

import { ROOT, browserPath, chromium, run } from "./command.mjs";

const STORY = readFileSync(join(ROOT, "tests/explain_page/manifests.yaml"), "utf8");
const CLUSTERS = 70;
const PHONE = { width: 390, height: 844 };
const DESK = { width: 1400, height: 900 };
const A4 = { width: 718, height: 1000 };
const OLD = "http://older.acme.example:3128";

/** Many Clusters, each with a control plane of its own, before the last document of the story, which is the ProxyConfig. */
function fleet() {
  const documents = STORY.split("---\n");
  const pair = `${documents[1]}---\n${documents[2]}`;
  const clusters = Array.from({ length: CLUSTERS }, (_, at) => pair.replaceAll("prod-1", `c${at}`).replaceAll("10.1.", `10.${at}.`));
  return [documents[0], ...clusters, documents[documents.length - 1]].join("---\n");
}

const config = STORY.slice(STORY.lastIndexOf("---\n") + 4);
const older = config.replace(/http:\/\/svc.*/g, OLD).replace("[.acme.example]", "[.acme.example, .older.example]");
const PAGES = {
  story: run({ "all.yaml": STORY }, ["explain", "--output", "html", "."]).output,
  fleet: run({ "all.yaml": fleet() }, ["explain", "--output", "html", "."]).output,
  change: run({ "all.yaml": STORY, "older.txt": older }, ["explain", "--diff", "older.txt", "--output", "html", "all.yaml"]).output,
  nothing: run({ "all.yaml": config }, ["explain", "--output", "html", "."]).output,
};

const folder = mkdtempSync(join(tmpdir(), "explain-"));
let browser = /** @type {import("playwright-core").Browser} */ ({});
/** @type {string[]} */
const complaints = [];
/** @type {string[]} */
const requests = [];

before(async () => {
  for (const [name, text] of Object.entries(PAGES)) {
    writeFileSync(join(folder, `${name}.html`), text);
  }
  browser = await chromium.launch({ executablePath: browserPath(), args: ["--no-sandbox"], proxy: { server: "http://127.0.0.1:9" } });
});

after(async () => {
  await browser?.close?.();
  rmSync(folder, { recursive: true });
});

/**
 * @param {string} name
 * @param {import("playwright-core").BrowserContextOptions} [options]
 * @param {(page: import("playwright-core").Page) => Promise<void>} [action]
 */
async function on(name, options, action) {
  const context = await browser.newContext({ viewport: DESK, ...options });
  try {
    const page = await context.newPage();
    page.on("console", (message) => complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => requests.push(request.url()));
    await page.goto(pathToFileURL(join(folder, `${name}.html`)).href);
    await action?.(page);
  } finally {
    await context.close();
  }
}

/** @param {import("playwright-core").Page} page */
const unfold = (page) => page.evaluate(() => document.querySelectorAll("details").forEach((one) => (one.open = true)));

/** @param {import("playwright-core").Page} page */
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** The texts whose contrast with what is behind them is below 4.5 (WCAG 2.2, 1.4.3). @param {import("playwright-core").Page} page */
function faint(page) {
  return page.evaluate(() => {
    /** @param {string} colour */
    const numbers = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
    /** @param {number[]} colour */
    const luminance = (colour) => {
      const [red, green, blue] = colour.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    /** @param {Element} element @returns {number[]} */
    const behind = (element) => {
      const colour = numbers(getComputedStyle(element).backgroundColor);
      const isOpaque = colour.length === 3;
      return isOpaque || !element.parentElement ? colour.slice(0, 3) : behind(element.parentElement);
    };
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const element = /** @type {Element} */ (node.parentElement);
      if (node.textContent?.trim() && element.getClientRects().length > 0) {
        const one = luminance(numbers(getComputedStyle(element).color));
        const other = luminance(behind(element));
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < 4.5) {
          found.add(`${node.textContent.trim()}: ${contrast.toFixed(2)}`);
        }
      }
    }
    return [...found];
  });
}

describe("what one sees", () => {
  for (const name of Object.keys(PAGES)) {
    for (const [screen, viewport] of Object.entries({ "a telephone": PHONE, "a desk": DESK })) {
      test(`${name}: on ${screen} nothing is wider than the screen, folded or not`, () =>
        on(name, { viewport }, async (page) => {
          assert.equal(await overflow(page), 0);
          await unfold(page);
          assert.equal(await overflow(page), 0);
        }));
    }
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      test(`${name}: in ${colorScheme} colours each text can be read`, () =>
        on(name, { colorScheme }, async (page) => {
          await unfold(page);
          assert.deepEqual(await faint(page), []);
        }));
    }
  }

  test("dark colours are dark, and light ones light", async () => {
    /** @param {"light" | "dark"} colorScheme */
    const paper = async (colorScheme) => {
      let colour = "";
      await on("story", { colorScheme }, async (page) => {
        colour = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      });
      return Number(/\d+/.exec(colour)?.[0]);
    };
    assert.ok((await paper("dark")) < 40);
    assert.ok((await paper("light")) > 220);
  });

  test("what gets nothing comes first, in the picture and in the table", () =>
    on("story", {}, async (page) => {
      assert.match((await page.locator(".lane").first().textContent()) ?? "", /gets nothing.*org\/bare/);
      assert.match((await page.locator("tbody tr").first().textContent()) ?? "", /org\/bare/);
    }));

  test("a tile of many Clusters is small and says its name", () =>
    on("fleet", {}, async (page) => {
      const box = await page.getByTitle("org/c69", { exact: true }).boundingBox();
      assert.ok(box && box.width <= 20 && box.height <= 20);
    }));
});

describe("what one does", () => {
  test("the contents lead to each section and each card", () =>
    on("story", {}, async (page) => {
      const links = page.getByRole("navigation", { name: "Contents" }).getByRole("link");
      assert.ok((await links.count()) > 5);
      for (const link of await links.all()) {
        await link.click();
        const target = page.locator((await link.getAttribute("href")) ?? "");
        assert.ok(await target.evaluate((one) => one.getBoundingClientRect().top < innerHeight));
      }
    }));

  test("the filter keeps what has all words, unfolds the list with the name, and goes back", () =>
    on("fleet", {}, async (page) => {
      const filter = page.getByRole("searchbox", { name: "Filter" });
      const rows = page.locator("#clusters tbody tr:visible");
      const all = await rows.count();
      await filter.fill("c69 PROXY.acme");
      assert.equal(await rows.count(), 1);
      assert.deepEqual(await page.locator("#clusters li:visible").allTextContents(), ["org/c69"]);
      assert.equal(await page.locator(".tile:visible").count(), 1);
      assert.match((await page.locator("output").textContent()) ?? "", /^\d+ of \d+ shown$/);
      assert.ok(await page.locator("#findings").isHidden());
      assert.ok(await page.locator("nav a[href='#findings']").isHidden());
      await filter.fill("nowhere.example");
      assert.ok(await page.getByText("Nothing on this page fits the filter.").isVisible());
      await filter.fill("");
      assert.equal(await rows.count(), all);
      assert.equal(await page.locator("details[open]").count(), 0);
      assert.equal(await page.locator("main [hidden]").count(), 1, "what says that nothing fits");
    }));

  test("a button unfolds all and folds all", () =>
    on("story", {}, async (page) => {
      await page.getByRole("button", { name: "Unfold all" }).click();
      assert.equal(await page.locator("details:not([open])").count(), 0);
      await page.getByRole("button", { name: "Fold all", exact: true }).click();
      assert.equal(await page.locator("details[open]").count(), 0);
    }));

  test("all of it is reached by keyboard, and the place is seen", () =>
    on("story", {}, async (page) => {
      await page.keyboard.press("Tab");
      assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Skip to the content");
      assert.ok(await page.locator(".skip").evaluate((one) => one.getBoundingClientRect().top >= 0));
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      assert.ok(await page.evaluate(() => document.activeElement?.closest("main") !== null), "the next stop is in the content");
      const summary = page.locator("#answer-1 summary").first();
      await summary.focus();
      await page.keyboard.press("Enter");
      assert.ok(await summary.evaluate((one) => one.parentElement?.hasAttribute("open")));
      await page.keyboard.press("Tab");
      assert.notEqual(await page.evaluate(() => getComputedStyle(/** @type {Element} */ (document.activeElement)).outlineStyle), "none");
    }));

  test("a code leads to its meaning, beside the page", () =>
    on("story", {}, async (page) => {
      const link = page.getByRole("link", { name: "TemplateNotInList" }).first();
      assert.equal(await link.getAttribute("href"), "https://inject-proxy.io/krm_fn/krm/messages/#templatenotinlist");
      assert.equal(await link.getAttribute("rel"), "noopener");
    }));

  test("without JavaScript the page says the same, and folds", () =>
    on("story", { javaScriptEnabled: false }, async (page) => {
      assert.ok(await page.getByRole("searchbox").isHidden());
      assert.ok(await page.getByRole("heading", { name: "Clusters", exact: true }).isVisible());
      await page.locator("#answer-1 summary").first().click();
      assert.equal(await page.locator("details[open]").count(), 1);
    }));
});

describe("what leaves the page", () => {
  test("paper has no filter and no contents, dark letters, and all that is unfolded", () =>
    on("story", { viewport: A4, colorScheme: "dark" }, async (page) => {
      await page.emulateMedia({ media: "print" });
      await unfold(page);
      assert.equal(await overflow(page), 0);
      assert.ok(await page.locator("aside").isHidden());
      assert.ok(await page.getByRole("columnheader", { name: "What is wrong" }).isVisible(), "a table is a table");
      assert.deepEqual(await faint(page), []);
      assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), "rgb(255, 255, 255)");
      const pages = (await page.pdf({ format: "A4" })).toString("latin1").match(/\/Type\s*\/Page\b/g) ?? [];
      assert.ok(pages.length > 1 && pages.length < 20, `${pages.length} pages`);
    }));

  test("nothing was asked of anybody, and nothing was refused", () => {
    assert.deepEqual(requests.filter((one) => !one.startsWith("file:")), []);
    assert.deepEqual(complaints, []);
  });
});

describe("what a screen reader reads", () => {
  for (const name of Object.keys(PAGES)) {
    test(`${name}: headings follow each other, and each part has a name`, () =>
      on(name, {}, async (page) => {
        const levels = await page.locator("h1, h2, h3").evaluateAll((all) => all.map((one) => Number(one.tagName[1])));
        assert.equal(levels[0], 1);
        levels.slice(1).forEach((level, at) => assert.ok(level > 1 && level <= levels[at] + 1, `heading ${at + 2}`));
        assert.equal(await page.getByRole("main").count(), 1);
        for (const part of await page.locator("main > section").all()) {
          assert.ok(await part.evaluate((one) => document.getElementById(one.getAttribute("aria-labelledby") ?? "")?.textContent));
        }
      }));
  }
});
