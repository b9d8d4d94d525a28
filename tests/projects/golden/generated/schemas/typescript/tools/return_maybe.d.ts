declare namespace tools {
  /** Return an object, or null. */
  function return_maybe(args: {
    /** Whether there is one. */
    found: boolean;
  }): Promise<
    | {
      /** An integer. */
      id: number;
    }
    | null>;
}
