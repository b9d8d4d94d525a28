declare namespace tools {
  /** Look up a day. Returns what is planned. */
  function regex_text(args: {
    /** The date of the day. Matches the regular expression ^(?:\d{4}-\d{2}-\d{2})$ */
    day: string;
  }): Promise<unknown>;
}
