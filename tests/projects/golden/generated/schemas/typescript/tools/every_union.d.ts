declare namespace tools {
  /** Take values of several types. */
  function every_union(args: {
    /** The one word. */
    version?: "v1";
    /** The one number. Default: 42. */
    answer?: 42;
    /** A time, in text. Format: date-time. Matches the regular expression ^\d{4}- */
    when?: string;
    /** A number, or none. */
    maybe?:
      | /** An integer. At least 1. */ number
      | null;
    /** A word, or none. */
    perhaps?: null | "left" | "right";
    /** A number, or words. */
    either?:
      | /** An integer. */ number
      | string[];
    /** A shape: a circle or a square. */
    exactly?:
      | {
        /** Which. */
        kind: "circle";
        /** In metres. */
        radius: number;
      }
      | {
        /** Which. */
        kind: "square";
        /** In metres. */
        side: number;
      };
    /** Two unions at once. Exactly one of the alternatives must match. Alternatives: At most 3. | At least 10. */
    both?:
      | /** An integer. */ number
      | string;
  }): Promise<unknown>;
}
