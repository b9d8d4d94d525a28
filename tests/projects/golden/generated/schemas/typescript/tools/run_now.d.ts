declare namespace tools {
  /** End in the way that is asked for, at once. */
  function run_now(args: {
    /** How to end. Default: "echo". */
    outcome?: "echo" | "fail" | "refuse" | "panic";
  }): Promise<unknown>;
}
