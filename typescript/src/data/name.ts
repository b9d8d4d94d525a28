/**
 * Names of parameters.
 *
 * @module
 */

/** The names that every vendor accepts for a parameter. */
const PARAMETER = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** The length to which the name of a parameter is cut, so that a number can follow. */
const MAX_CUT = 56;

/** Returns whether every vendor accepts the name of a parameter. */
export function isPortable(name: string): boolean {
  return PARAMETER.test(name);
}

/**
 * Returns another name for each parameter of a tool whose name a vendor refuses. A dialect that refuses the name shows the other one, and
 * the reader of arguments maps it back. `names` are the names of all parameters at every depth.
 */
export function parameterAliases(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set(names);
  const aliases = new Map<string, string>();
  for (const name of names) {
    if (isPortable(name) || aliases.has(name)) {
      continue;
    }
    const base = portableParameter(name);
    let alias = base;
    for (let number = 2; taken.has(alias); number += 1) {
      alias = `${base}_${String(number)}`;
    }
    taken.add(alias);
    aliases.set(name, alias);
  }
  return aliases;
}

/** Returns whether `alias` may be the {@link parameterAliases | other name} of the parameter `name`. */
export function mayBeAlias(alias: string, name: string): boolean {
  if (isPortable(name) || !isPortable(alias)) {
    return false;
  }
  const base = portableParameter(name);
  return alias.startsWith(base) && /^(?:_[0-9]*)?$/.test(alias.slice(base.length));
}

/** Returns a name like this one, with `_` for the characters that a vendor refuses. */
function portableParameter(name: string): string {
  let portable = "";
  for (const letter of name) {
    if (/^[A-Za-z0-9_]$/.test(letter)) {
      portable += letter;
    } else if (portable !== "" && !portable.endsWith("_")) {
      portable += "_";
    }
    if (portable.length === MAX_CUT) {
      break;
    }
  }
  if (!name.endsWith("_") && portable.endsWith("_")) {
    portable = portable.slice(0, -1);
  }
  if (portable === "") {
    return "parameter";
  }
  return /^[0-9]/.test(portable) ? `_${portable}` : portable;
}
