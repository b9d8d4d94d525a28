/**
 * The environment of tools: variables, programs that can be run, and the operating system.
 *
 * @module
 */

/** The environment in which a turn looks up what tools require. */
export interface Environment {
  /** Returns the value of a variable. A value that is empty counts as not set. */
  variable(name: string): string | undefined;
  /** Returns whether a program can be run. */
  hasProgram(name: string): boolean;
  /** The operating system, by its name in Rust: `linux`, `macos`, `windows` and so on. Empty if it is unknown. */
  readonly os: string;
}

/** What a fixed environment has. */
export interface FixedEnvironment {
  readonly variables?: Readonly<Record<string, string>>;
  readonly programs?: readonly string[];
  readonly os?: string;
}

/** Returns an environment that has nothing but this, for tests and for hosts without a process. */
export function fixedEnvironment({ variables = {}, programs = [], os = "" }: FixedEnvironment = {}): Environment {
  const values = new Map(Object.entries(variables));
  return {
    variable: (name) => values.get(name),
    hasProgram: (name) => programs.includes(name),
    os,
  };
}
