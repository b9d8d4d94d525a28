declare namespace tools {
  /** Compute a sum. Returns the result. */
  function lark_text(args: {
    /**
     * Numbers with plus signs between them. The text must match this grammar, which is written for Lark:
     * start: NUMBER (" + " NUMBER)*
     * NUMBER: /[0-9]+/
     */
    sum: string;
  }): Promise<unknown>;
}
