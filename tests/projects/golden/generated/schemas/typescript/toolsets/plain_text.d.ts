declare namespace tools {
  /** Say a text, as it is. Returns the text. */
  function any_text(args: {
    /** What to say, in any language. */
    text: string;
  }): Promise<unknown>;
}

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

declare namespace tools {
  /** Look up a day. Returns what is planned. */
  function regex_text(args: {
    /** The date of the day. Matches the regular expression ^(?:\d{4}-\d{2}-\d{2})$ */
    day: string;
  }): Promise<unknown>;
}
