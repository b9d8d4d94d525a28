declare namespace tools {
  /** Return a number or a word. */
  function return_sort(args: {
    /** What to return. */
    as:
      | /** An integer. */ number
      | string;
  }): Promise<
    | /** An integer. */ number
    | string>;
}
