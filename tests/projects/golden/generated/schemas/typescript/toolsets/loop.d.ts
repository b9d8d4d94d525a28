declare namespace tools {
  /** Ask the user something. */
  function ask_back(args: { [key: string]: never; }): Promise<unknown>;
}

declare namespace tools {
  /** Give a task to another agent. */
  function delegate(args: {
    /** What is to be done. */
    task: string;
    /** How deep agents may be nested. An integer. Default: 1. */
    depth?: number;
  }): Promise<unknown>;
}
