/**
 * The state of the page in a link: behind its `#`, so that no server sees it.
 *
 * @import {Files} from "./runner.js"
 * @typedef {{files: Files, config: string}} State  the manifests by their names, and the ProxyConfig
 */

const VERSION = "1";
/** Characters of a state that is read: a short link could else unpack to more than a browser can hold. */
const LARGEST = 5_000_000;

/**
 * Returns what is behind the `#` of a link.
 *
 * @param {State} state  without credentials
 * @returns {Promise<string>}
 */
export async function packed(state) {
  const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let text = "";
  for (const byte of bytes) {
    text += String.fromCharCode(byte);
  }
  return `${VERSION}.${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

/**
 * Returns the state of a link.
 *
 * @param {string} hash  what is behind its `#`
 * @returns {Promise<State>}  rejected where it holds none, or one that is too large
 */
export async function unpacked(hash) {
  const [version, data] = hash.split(".");
  if (version !== VERSION || !data) {
    throw new Error("the link holds no state of this page");
  }
  const text = atob(data.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const state = JSON.parse(await limited(stream));
  const texts = Object.values(state.files ?? {});
  if (typeof state.config !== "string" || !texts.every((one) => typeof one === "string")) {
    throw new Error("the link holds no state of this page");
  }
  return { files: state.files, config: state.config };
}

/**
 * @param {ReadableStream<BufferSource>} stream
 * @returns {Promise<string>}
 */
async function limited(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += part.value;
    if (text.length > LARGEST) {
      throw new Error("the link holds more than this page reads");
    }
  }
  return text;
}
