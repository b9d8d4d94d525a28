/**
 * The environment of the process, in Node.js, Deno and Bun. In browsers and Workers, there is none. This module is the only one that uses more
 * than the language has, and it imports nothing, so that bundlers need no replacements.
 *
 * @module
 */

import type { Environment } from "./environment.ts";

/** The parts of Node.js that are used. */
interface NodeProcess {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly platform?: string;
  readonly getBuiltinModule?: (name: string) => unknown;
}

interface NodeFileSystem {
  readonly statSync: (path: string) => { isFile(): boolean; readonly mode: number };
}

/** The names of operating systems that differ in Rust. */
const SYSTEMS: ReadonlyMap<string, string> = new Map([
  ["darwin", "macos"],
  ["win32", "windows"],
  ["sunos", "solaris"],
]);

/** The environment of the process. Each look-up uses its current state. */
export const processEnvironment: Environment = {
  variable: (name) => current().env?.[name],
  hasProgram: (name) => {
    const fs = current().getBuiltinModule?.("node:fs") as NodeFileSystem | undefined;
    return fs !== undefined && paths(name).some((path) => isExecutable(fs, path));
  },
  get os() {
    const platform = current().platform ?? "";
    return SYSTEMS.get(platform) ?? platform;
  },
};

function current(): NodeProcess {
  return (globalThis as { process?: NodeProcess }).process ?? {};
}

function isWindows(): boolean {
  return current().platform === "win32";
}

/** Returns the files that the name of a program may refer to. A name with a path separator is a path. */
function paths(name: string): readonly string[] {
  const files = isWindows() ? spellings(name) : [name];
  if (name === "" || name.includes("/") || (isWindows() && name.includes("\\"))) {
    return name === "" ? [] : files;
  }
  const folders = (processEnvironment.variable("PATH") ?? "").split(isWindows() ? ";" : ":");
  return folders.flatMap((folder) => files.map((file) => `${folder === "" ? "." : folder}/${file}`));
}

/** Returns the name itself if it has an extension of programs, and otherwise the name with each of them. */
function spellings(name: string): readonly string[] {
  const all = (processEnvironment.variable("PATHEXT") ?? ".COM;.EXE;.BAT;.CMD").toLowerCase().split(";");
  const extensions = all.filter((extension) => extension !== "");
  const hasOne = extensions.some((extension) => name.toLowerCase().endsWith(extension));
  return hasOne ? [name] : extensions.map((extension) => name + extension);
}

function isExecutable(fs: NodeFileSystem, path: string): boolean {
  try {
    const file = fs.statSync(path);
    return file.isFile() && (isWindows() || (file.mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
