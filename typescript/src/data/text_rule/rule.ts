/**
 * What `pattern` and `format` require of a text.
 *
 * @module
 */

import { byteLength } from "../../text/utf8.ts";
import { PatternProblem, translate } from "./ecma.ts";
import { Engine } from "./engine.ts";
import { type Format, FORMATS } from "./formats.ts";
import { compile } from "./nfa.ts";

/** The characters, each compared with one part of the pattern, that take as long as one step of the reader. */
const CHARACTERS_PER_STEP = 16;
/** The bytes of a text that are compared with a format in one step of the reader. */
const BYTES_PER_STEP = 64;

interface Compiled {
  readonly engine: Engine;
  readonly weight: number;
}

/** The `pattern` and the `format` of a schema. */
export class TextRule {
  readonly pattern: string | undefined;
  readonly format: Format | undefined;
  /** The compiled pattern, `null` if the engine cannot hold it, and `undefined` before its first use. */
  #compiled: Compiled | null | undefined;

  private constructor(pattern: string | undefined, format: Format | undefined) {
    this.pattern = pattern;
    this.format = format;
  }

  /** Returns the rule of these keywords, or `undefined` if nothing is enforced. */
  static of(pattern: string | undefined, format: string | undefined): TextRule | undefined {
    const known = format === undefined ? undefined : FORMATS.get(format);
    return pattern === undefined && known === undefined ? undefined : new TextRule(pattern, known);
  }

  /** Returns whether `text` satisfies the rule. A pattern that the engine cannot hold is satisfied by every text. */
  holds(text: string): boolean {
    return (this.format?.holds(text) ?? true) && (this.#engine()?.engine.matches(text) ?? true);
  }

  /** Returns the steps that the check of `text` may take. */
  steps(text: string): number {
    const bytes = byteLength(text);
    const pattern = Math.floor((bytes * (this.#engine()?.weight ?? 0)) / CHARACTERS_PER_STEP);
    return pattern + (this.format === undefined ? 0 : Math.floor(bytes / BYTES_PER_STEP));
  }

  #engine(): Compiled | null {
    if (this.#compiled === undefined) {
      const translation = this.pattern === undefined ? undefined : translate(this.pattern);
      this.#compiled = null;
      if (translation !== undefined && !(translation instanceof PatternProblem)) {
        const nfa = compile(translation.expression);
        this.#compiled = nfa === undefined ? null : { engine: new Engine(nfa), weight: translation.weight };
      }
    }
    return this.#compiled;
  }
}
