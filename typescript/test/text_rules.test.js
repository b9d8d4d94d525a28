// @ts-check
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { PatternProblem, translate } from "../dist/data/text_rule/ecma.js";
import { TextRule } from "../dist/data/text_rule/rule.js";
import { turnOf, objectOf, errorOf } from "./support/catalog.js";

const rules = JSON.parse(readFileSync(new URL("../../docs/export/text-rules.json", import.meta.url), "utf8"));

test("formats accept and refuse the texts of the documentation", () => {
  const formats = Object.entries(rules.formats);
  assert.equal(formats.length, 11);
  for (const [name, { valid, invalid }] of formats) {
    const rule = TextRule.of(undefined, name);
    for (const text of valid) {
      assert.equal(rule?.holds(text), true, `${name}: ${JSON.stringify(text)}`);
    }
    for (const text of invalid) {
      assert.equal(rule?.holds(text), false, `${name}: ${JSON.stringify(text)}`);
    }
  }
});

test("patterns match and refuse the texts of the documentation", () => {
  for (const { pattern, matches, refuses } of rules.patterns) {
    const rule = TextRule.of(pattern, undefined);
    for (const text of matches) {
      assert.equal(rule?.holds(text), true, JSON.stringify([pattern, text]));
    }
    for (const text of refuses) {
      assert.equal(rule?.holds(text), false, JSON.stringify([pattern, text]));
    }
  }
});

test("a pattern that the engine cannot hold is satisfied by every text", () => {
  for (const { pattern, has } of rules.not_enforced) {
    const problem = translate(pattern);
    assert.ok(problem instanceof PatternProblem && !problem.isInvalid, pattern);
    assert.equal(problem.message, has, pattern);
    assert.equal(TextRule.of(pattern, undefined)?.holds("\u0000"), true);
  }
});

test("patterns of the subset agree with the engine of JavaScript", () => {
  const atoms = ["a", "b", "[ab]", "[^a]", ".", "\\d", "\\W", "\\s", "(a|b)", "(?:ab|)", "x", "\\b", "^", "$", "😀", "[a-c1]"];
  const signs = ["", "", "", "*", "+", "?", "{2}", "{0,2}", "{1,}", "*?"];
  const letters = ["a", "b", "1", " ", "x", "\n", "😀", "c"];
  let seed = 7;
  const pick = (/** @type {readonly string[]} */ list) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return list[Math.floor((seed / 2_147_483_648) * list.length)] ?? "";
  };
  let tested = 0;
  for (let round = 0; round < 4_000; round += 1) {
    const parts = Array.from({ length: 1 + (round % 5) }, () => {
      const atom = pick(atoms);
      return ["\\b", "^", "$"].includes(atom) ? atom : atom + pick(signs);
    });
    const pattern = parts.join(round % 7 === 0 ? "|" : "");
    const native = new RegExp(pattern, "u");
    const rule = TextRule.of(pattern, undefined);
    for (let text = 0; text < 8; text += 1) {
      const sent = Array.from({ length: text }, () => pick(letters)).join("");
      assert.equal(rule?.holds(sent), native.test(sent), `${pattern} ${JSON.stringify(sent)}`);
      tested += 1;
    }
  }
  assert.equal(tested, 32_000);
});

test("patterns that make other engines slow end, or are too much to check", () => {
  const pattern = "^(a*)*(a|aa)+(.*a){20}$";
  const turn = turnOf([objectOf({ a: 1 }), { types: ["string"], bounds: { pattern } }]);
  assert.match(errorOf(() => turn.read("t", JSON.stringify({ a: `${"a".repeat(2_000)}b` }))).message, /the pattern/);
  const rule = TextRule.of(`${"(a?){60}".repeat(10)}a{200}`, undefined);
  assert.equal(rule?.holds("a".repeat(150)), false);
  assert.equal(TextRule.of("(((a{50}){50}){50})", undefined)?.holds(""), true, "it is too large");
  assert.equal(TextRule.of(`${"(".repeat(5_000)}a${")".repeat(5_000)}`, undefined)?.holds(""), true, "it is too deep");
});
