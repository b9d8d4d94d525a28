declare namespace tools {
  /** Say a text, as it is. Returns the text. */
  function any_text(args: {
    /** What to say, in any language. */
    text: string;
  }): Promise<unknown>;
}
