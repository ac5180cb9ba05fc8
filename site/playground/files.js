/**
 * Files that a person drops or picks: what the command would read of them.
 *
 * @import {Files} from "./runner.js"
 * @typedef {{name: string, file: File}} Found
 * @typedef {{files: Files, config: string | undefined, notes: string[]}} Read  `config` is the one ProxyConfig among them
 */

const ENDINGS = /\.(ya?ml|json)$/;
/** Hidden files are not read, but these say what else is not. */
const IGNORES = new Set([".gitignore", ".krmignore"]);
const IS_CONFIG = /^kind:\s*["']?ProxyConfig["']?\s*$/m;
const MOST_BYTES = 30_000_000;

/**
 * Returns what was dropped, with all that is in its folders.
 *
 * @param {DataTransfer} dropped
 * @returns {Promise<Found[]>}
 */
export async function droppedFiles(dropped) {
  const items = [...dropped.items].filter(({ kind }) => kind === "file");
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  // What is in no folder of this machine, such as an attachment, is a file without an entry.
  const loose = items.filter((item) => item.webkitGetAsEntry() === null).map((item) => item.getAsFile());
  const isOneFolder = entries.length === 1 && entries[0].isDirectory;
  const found = await Promise.all(entries.map((entry) => filesOf(entry, isOneFolder ? "" : entry.name)));
  return [...found.flat(), ...loose.flatMap((file) => (file ? [{ name: file.name, file }] : []))];
}

/**
 * @param {FileSystemEntry} entry
 * @param {string} name  its path below the folder in which the command runs
 * @returns {Promise<Found[]>}
 */
async function filesOf(entry, name) {
  if (entry.isFile) {
    const file = await new Promise((resolve, reject) => {
      /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject);
    });
    return [{ name, file }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {FileSystemEntry[]} */
  const inside = [];
  for (;;) {
    // A reader gives some at a time, and none at its end.
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) {
      break;
    }
    inside.push(...some);
  }
  const children = inside.filter((child) => isRead(child.name, child.isDirectory));
  const found = await Promise.all(children.map((child) => filesOf(child, name ? `${name}/${child.name}` : child.name)));
  return found.flat();
}

/**
 * Returns what was picked in a dialog.
 *
 * @param {FileList} list
 * @returns {Found[]}
 */
export function pickedFiles(list) {
  return [...list].flatMap((file) => {
    const parts = file.webkitRelativePath ? file.webkitRelativePath.split("/").slice(1) : [file.name];
    const folders = parts.slice(0, -1);
    const isWanted = folders.every((part) => isRead(part, true)) && isRead(parts[parts.length - 1], false);
    return isWanted || !file.webkitRelativePath ? [{ name: parts.join("/"), file }] : [];
  });
}

/**
 * @param {string} name
 * @param {boolean} isFolder
 */
function isRead(name, isFolder) {
  return isFolder ? !name.startsWith(".") : IGNORES.has(name) || (ENDINGS.test(name) && !name.startsWith("."));
}

/**
 * Reads files; what is no UTF-8 is left out, as the command leaves it alone.
 *
 * @param {Found[]} found
 * @returns {Promise<Read>}
 */
export async function read(found) {
  const size = found.reduce((sum, { file }) => sum + file.size, 0);
  if (size > MOST_BYTES) {
    throw new Error(`${Math.round(size / 1e6)} MB are more than this page reads: use the command`);
  }
  /** @type {Files} */
  const files = {};
  const notes = [];
  for (const { name, file } of [...found].sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const bytes = await file.arrayBuffer();
    try {
      files[name] = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    } catch {
      notes.push(`${name} is not UTF-8 and was left out`);
    }
  }
  const configs = Object.keys(files).filter((name) => IS_CONFIG.test(files[name]));
  if (configs.length !== 1) {
    return { files, config: undefined, notes };
  }
  const { [configs[0]]: config, ...others } = files;
  notes.push(`${configs[0]} is the ProxyConfig`);
  return { files: others, config, notes };
}
