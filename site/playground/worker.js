/**
 * Runs inject-proxy: loads Pyodide and the archive of Python packages, then answers requests one after another.
 *
 * @import {Request, Reply} from "./runner.js"
 */

import { loadPyodide } from "pyodide"; // build.py puts it beside the worker, and does not bundle it

const LIBRARY = "/lib/inject-proxy";
/** What could reach another host. It is taken away before the first request. */
const NETWORK = ["EventSource", "WebSocket", "WebTransport", "XMLHttpRequest", "fetch", "importScripts"];

/** @param {Reply} reply */
const answer = (reply) => postMessage(reply);

async function load() {
  answer({ progress: "Loading Python, up to 16 MB the first time" });
  const archive = fetch("packages.zip").then((response) => response.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("pyodide/", location.href).href });
  answer({ progress: "Loading inject-proxy" });
  python.unpackArchive(new Uint8Array(await archive), "zip", { extractDir: LIBRARY });
  python.pyimport("sys").path.append(LIBRARY);
  for (const name of NETWORK) {
    Object.defineProperty(self, name, { value: undefined });
  }
  const commands = python.pyimport("commands");
  answer({ progress: "Ready" });
  return { python, commands };
}

const loaded = load();

/** @param {Request} request */
async function handle({ id, files, commands, masked }) {
  const { python, commands: module } = await loaded;
  const given = python.toPy(files);
  /** @param {any} proxy */
  const plain = (proxy) => {
    const value = proxy.toJs({ dict_converter: Object.fromEntries });
    proxy.destroy();
    return value;
  };
  if (masked) {
    answer({ id, done: true, masked: plain(module.masked(given)) });
    return;
  }
  const begun = performance.now();
  module.write(given);
  for (const [index, command] of commands.entries()) {
    answer({ id, progress: `Running inject-proxy ${command.slice(0, 2).join(" ")}` });
    answer({ id, index, result: plain(module.run(python.toPy(command))) });
  }
  answer({ id, done: true, time: performance.now() - begun });
}

/** @param {MessageEvent<Request>} event */
self.onmessage = (event) => {
  handle(event.data).catch((error) => {
    answer({ id: event.data.id, failed: `${error.name ?? "Error"}: the run ended early` });
  });
};
loaded.catch((error) => answer({ failed: `Python could not be loaded: ${error.message}` }));
