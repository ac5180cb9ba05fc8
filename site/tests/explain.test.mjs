/**
 * The page of `inject-proxy explain` in a real browser: it fits each screen, can be read and printed, and asks nobody for
 * anything.
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

/** Many Clusters, each with a control plane of its own, before the last document of the story, which is the ProxyConfig. */
function fleet() {
  const documents = STORY.split("---\n");
  const pair = `${documents[1]}---\n${documents[2]}`;
  const clusters = Array.from({ length: CLUSTERS }, (_, at) => pair.replaceAll("prod-1", `c${at}`).replaceAll("10.1.", `10.${at}.`));
  return [documents[0], ...clusters, documents[documents.length - 1]].join("---\n");
}

const config = STORY.slice(STORY.lastIndexOf("---\n") + 4);
const PAGES = {
  story: run({ "all.yaml": STORY }, ["explain", "--output", "html", "."]).output,
  fleet: run({ "all.yaml": fleet() }, ["explain", "--output", "html", "."]).output,
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

  test("what gets nothing comes first", () =>
    on("story", {}, async (page) => {
      const row = page.getByRole("region", { name: "Clusters" }).getByRole("row").nth(1);
      assert.match((await row.textContent()) ?? "", /org\/bare.*is not in the list/);
    }));

  test("a table that is wider than a telephone scrolls in its box", () =>
    on("story", { viewport: PHONE }, async (page) => {
      const box = page.getByRole("region", { name: "What was covered" });
      assert.ok(await box.evaluate((element) => element.scrollWidth > element.clientWidth));
    }));

  test("a tile of many Clusters leads to its list, and no column is empty", () =>
    on("fleet", {}, async (page) => {
      await page.getByRole("link", { name: "org/c69", exact: true }).click();
      assert.ok(await page.getByRole("cell", { name: /spec.noProxy/ }).first().isVisible());
      const empty = await page.locator("thead th").evaluateAll((all) =>
        all.filter((head) => head.checkVisibility()).filter((head) =>
          [...(head.closest("table")?.tBodies[0].rows ?? [])].every((row) => row.cells[/** @type {HTMLTableCellElement} */ (head).cellIndex].textContent === ""))
          .map((head) => head.textContent));
      assert.deepEqual(empty, []);
    }));

  test("the contents lead to each section", () =>
    on("story", {}, async (page) => {
      const links = page.getByRole("navigation", { name: "Contents" }).getByRole("link");
      assert.ok((await links.count()) > 2);
      for (const link of await links.all()) {
        await link.click();
        const target = page.locator((await link.getAttribute("href")) ?? "");
        assert.ok(await target.evaluate((section) => section.getBoundingClientRect().top < innerHeight));
      }
    }));

  test("paper has dark letters on light", () =>
    on("story", { viewport: A4, colorScheme: "dark" }, async (page) => {
      await page.emulateMedia({ media: "print" });
      await unfold(page);
      assert.equal(await overflow(page), 0);
      assert.deepEqual(await faint(page), []);
      assert.match(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), /rgb\(2\d\d/);
    }));

  test("nothing was asked of anybody, and nothing was refused", () => {
    assert.deepEqual(requests.filter((one) => !one.startsWith("file:")), []);
    assert.deepEqual(complaints, []);
  });
});

test("headings follow each other", () =>
  on("story", {}, async (page) => {
    const levels = await page.locator("h1, h2, h3").evaluateAll((all) => all.map((heading) => Number(heading.tagName[1])));
    assert.equal(levels[0], 1);
    levels.slice(1).forEach((level, at) => assert.ok(level > 1 && level <= levels[at] + 1, `heading ${at + 2}`));
  }));
