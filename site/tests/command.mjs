/** What the tests of the playground need besides the page: the command, a server of the site, and a judge of requests. */

import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const COMMAND = join(ROOT, ".venv/bin/inject-proxy");
/** @type {typeof import("playwright-core")} */
const playwright = createRequire(join(ROOT, ".cache/site/package.json"))("playwright-core");
export const { chromium } = playwright;
const BROWSERS = ["chromium", "chromium-browser", "google-chrome"];

/**
 * Runs the command on files.
 *
 * @param {Record<string, string>} files  name -> text
 * @param {string[]} argv  its arguments
 */
export function run(files, argv) {
  const folder = mkdtempSync(join(tmpdir(), "playground-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const { status, stdout, stderr } = spawnSync(COMMAND, argv, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
    return { exitCode: status, output: stdout, reported: stderr };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The path of a browser; what a person does where there is none is in the message. */
export function browserPath() {
  const found = BROWSERS.map((name) => spawnSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).stdout.trim());
  const path = found.find((one) => one);
  if (!path) {
    throw new Error("chromium is missing: install it, on Debian `apt-get install chromium`");
  }
  return path;
}

/** Serves the site as README says, in a folder of the server; returns its address and what ends it. */
export async function serve() {
  const server = spawn("python3", ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", join(ROOT, "build")]);
  const port = await new Promise((found, failed) => {
    server.stdout.on("data", (data) => found(/port (\d+)/.exec(String(data))?.[1]));
    server.on("exit", () => failed(new Error("the server ended")));
  });
  return { address: `http://127.0.0.1:${port}/site/`, end: () => server.kill() };
}

/** A proxy that answers nothing and counts: each request to a host that is not this machine comes here. */
export async function foreignRequests() {
  /** @type {string[]} */
  const seen = [];
  const proxy = createServer((socket) => {
    socket.once("data", (data) => {
      seen.push(String(data).split("\r\n")[0]);
      socket.destroy();
    });
    socket.on("error", () => {});
  });
  await new Promise((listening) => proxy.listen(0, "127.0.0.1", () => listening(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (proxy.address());
  return { seen, address: `http://127.0.0.1:${port}`, end: () => proxy.close() };
}
