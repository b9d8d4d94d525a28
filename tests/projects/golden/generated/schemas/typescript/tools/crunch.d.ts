declare namespace tools {
  /** Compute for long, on a thread of its own. */
  function crunch(args: {
    /** How it ends. Default: "well". */
    outcome?: "well" | "fail" | "panic";
  }): Promise<unknown>;
}
