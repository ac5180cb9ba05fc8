/** Completion of a ProxyConfig: what is offered where, by the schema of the package. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { completions } from "../playground/completion.js";

const schema = JSON.parse(readFileSync(new URL("../../functionconfig/proxyconfig.schema.json", import.meta.url), "utf8"));
const HEAD = ["apiVersion: fn.inject-proxy.io/v1alpha1", "kind: ProxyConfig", "spec:"];

/** @type {[string, string[], string[]][]} */
const OFFERED = [
  ["the fields of the document", ["kind: ProxyConfig", "sp"], ["spec"]],
  ["the fields of `spec`", [...HEAD, "  httpP"], ["httpProxy", "httpsProxy", "noProxyPolicy"]],
  ["the fields of a mapping", [...HEAD, "  targets:", "    nodes:", "      cont"], ["containerd"]],
  ["a field behind a deeper mapping", [...HEAD, "  noProxyPolicy:", "    style: TKG", "  mod"], ["mode"]],
  ["the fields of an item", [...HEAD, "  overrides:", "  - match:", "      clus"], ["clusters"]],
  ["the first field of an item", [...HEAD, "  overrides:", "  - match: {}", "  - mat"], ["match"]],
  ["a field of an item behind its first one", [...HEAD, "  overrides:", "    - match: {}", "      disab"], ["disabled"]],
  ["the values of a field", [...HEAD, "  mode: "], ["Inject", "Remove", "Check"]],
  ["true and false", [...HEAD, "  targets:", "    nodes:", "      kubelet: f"], ["true", "false"]],
  ["the items of a list", [...HEAD, "  only:", "  - ky"], ["kyverno", "nodes.kubelet"]],
  ["a level of a rule", [...HEAD, "  lint:", "    rules:", "      UrlHttps: "], ["Off", "Info", "Warning", "Error"]],
];

for (const [name, lines, wanted] of OFFERED) {
  test(`offers ${name}`, () => {
    const labels = completions(schema, lines, true)?.options.map(({ label }) => label) ?? [];
    assert.deepEqual(wanted.filter((label) => !labels.includes(label)), []);
  });
}

test("offers nothing in a field that the schema does not know", () => {
  assert.equal(completions(schema, [...HEAD, "  other:", "    htt"], true), null);
});

test("offers no field before the first character, unless it is asked", () => {
  assert.equal(completions(schema, [...HEAD, "  "], false), null);
  assert.ok(completions(schema, [...HEAD, "  "], true));
});
