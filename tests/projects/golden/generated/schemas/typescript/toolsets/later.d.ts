declare namespace tools {
  /** End in the way that is asked for, after a pause. */
  function run_later(args: {
    /** How to end. Default: "echo". */
    outcome?: "echo" | "fail" | "refuse" | "panic";
    /** How often to give way before that. An integer. At least 0. At most 10. Default: 1. */
    pauses?: number;
  }): Promise<unknown>;
}

declare namespace tools {
  /** Give way once. */
  function give_way(args: { [key: string]: never; }): Promise<unknown>;
}
