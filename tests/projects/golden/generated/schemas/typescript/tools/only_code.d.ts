declare namespace tools {
  /** Return a list of numbers, for programs that compute with them. */
  function only_code(args: {
    /** How many numbers. An integer. At least 1. At most 1000. */
    count: number;
  }): Promise<(/** An integer. */ number)[]>;
}
