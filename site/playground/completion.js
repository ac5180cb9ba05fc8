/**
 * Completion of a ProxyConfig by its JSON Schema: fields, and the values that a field may have.
 *
 * It reads block style, line by line: what is left of the cursor says in which field it is.
 *
 * @import {Completion, CompletionContext, CompletionResult} from "@codemirror/autocomplete"
 * @typedef {{[keyword: string]: any}} Schema
 */

const KEY = /^(\s*)((?:- +)*)["']?([\w.-]+)["']?\s*:(?:\s|$)/;
const VALUE = /^(\s*)((?:- +)*)["']?([\w.-]+)["']?\s*:\s+["']?([\w-]*)$/;
const ITEM_OR_KEY = /^(\s*)((?:- +)*)([\w.-]*)$/;

/**
 * Returns a source of completions for CodeMirror.
 *
 * @param {Schema} schema
 * @returns {(context: CompletionContext) => CompletionResult | null}
 */
export function completionOf(schema) {
  return (context) => {
    const lines = context.state.sliceDoc(0, context.pos).split("\n");
    const found = completions(schema, lines, context.explicit);
    return found && { from: context.pos - found.typed.length, options: found.options, validFor: /^[\w.-]*$/ };
  };
}

/**
 * Returns what can be written at the end of the last line, and how much of it is there already.
 *
 * @param {Schema} schema
 * @param {string[]} lines  the text in front of the cursor
 * @param {boolean} isAsked  else nothing is offered before the first character
 * @returns {{typed: string, options: Completion[]} | null}
 */
export function completions(schema, lines, isAsked) {
  const last = lines[lines.length - 1];
  const above = lines.slice(0, -1);
  const value = VALUE.exec(last);
  if (value) {
    const node = nodeAt(schema, [...pathAt(above, column(value[1], value[2])), ...items(value[2]), value[3]]);
    return offered(value[4], values(schema, node));
  }
  const key = ITEM_OR_KEY.exec(last);
  if (!key || (!isAsked && key[3] === "")) {
    return null;
  }
  const node = nodeAt(schema, [...pathAt(above, column(key[1], key[2])), ...items(key[2])]);
  return offered(key[3], [...fields(schema, node), ...(key[2] ? values(schema, node) : [])]);
}

/**
 * @param {string} typed
 * @param {Completion[]} options
 */
const offered = (typed, options) => (options.length > 0 ? { typed, options } : null);

/**
 * @param {string} dashes
 * @returns {number[]}  a step for each list that begins there
 */
const items = (dashes) => [...dashes.matchAll(/-/g)].map(() => 0);

/**
 * @param {string} indent
 * @param {string} dashes
 */
const column = (indent, dashes) => (dashes ? indent.length + 1 : indent.length);

/**
 * Returns the fields around a line, the outermost first; a number is an item of a list.
 *
 * @param {string[]} above
 * @param {number} inner  where a field must begin before to be around the line
 * @returns {(string | number)[]}
 */
function pathAt(above, inner) {
  /** @type {(string | number)[]} */
  const path = [];
  for (const line of [...above].reverse()) {
    const key = KEY.exec(line);
    if (!key) {
      continue;
    }
    const [, indent, dashes, name] = key;
    const begin = indent.length + dashes.length;
    if (begin < inner) {
      path.unshift(name);
      inner = begin;
    }
    if (dashes && indent.length < inner && begin <= inner) {
      path.unshift(...items(dashes));
      inner = indent.length + 1; // the field that holds a list may begin where its dashes do
    }
  }
  return path;
}

/**
 * @param {Schema} schema
 * @param {(string | number)[]} path
 * @returns {Schema}  {} where the schema says nothing
 */
function nodeAt(schema, path) {
  let node = schema;
  for (const step of path) {
    const here = resolved(schema, node);
    if (typeof step === "number") {
      node = here.items ?? {};
    } else {
      const more = typeof here.additionalProperties === "object" ? here.additionalProperties : {};
      node = here.properties?.[step] ?? more;
    }
  }
  return resolved(schema, node);
}

/**
 * @param {Schema} schema
 * @param {Schema} node
 * @returns {Schema}
 */
function resolved(schema, node) {
  const name = node.$ref?.split("/").pop();
  return name ? { ...schema.$defs[name], ...node } : node;
}

/**
 * @param {Schema} schema
 * @param {Schema} node
 * @returns {Completion[]}
 */
function fields(schema, node) {
  return Object.entries(node.properties ?? {}).map(([name, child]) => {
    const { type, description } = resolved(schema, child);
    const isHolder = type === "object";
    return { label: name, type: "property", detail: [type].flat().join(" or "), info: description, apply: isHolder ? `${name}:` : `${name}: ` };
  });
}

/**
 * @param {Schema} schema
 * @param {Schema} node
 * @returns {Completion[]}
 */
function values(schema, node) {
  const of = resolved(schema, node);
  const given = of.enum ?? (of.const === undefined ? undefined : [of.const]) ?? ([of.type].flat().includes("boolean") ? ["true", "false"] : []);
  return given.map((/** @type {unknown} */ one) => ({
    label: String(one),
    type: "enum",
    info: of.description,
    // YAML 1.1 reads Off as false.
    apply: one === "Off" ? '"Off"' : String(one),
  }));
}
