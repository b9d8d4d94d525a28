declare namespace tools {
  /** On cli, 2 deep. Goes with run_now or run_later. */
  function depends(args: {
    /** There with a tool. An integer. At least 1. */
    first?: number;
    /** What to return. Default: "text". */
    mode?: "text";
    /** Nothing in it is always there. */
    inner?: {
      /** There with a tool. */
      a?: string;
      /** There with another. */
      b?: string;
    };
  }): Promise<unknown>;
}
