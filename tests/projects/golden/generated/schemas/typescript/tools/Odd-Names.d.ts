declare namespace tools {
  /** Take arguments whose names are not identifiers. */
  function Odd_Names(args: {
    /** A keyword. */
    type: string;
    /** A keyword that cannot be raw. */
    self?: string;
    /** Begins with a dollar sign, as do its own. */
    $vectorSearch?: {
      /** At most this many. An integer. Default: 10. */
      $limit?: number;
    };
    /** A dot. An integer. */
    "a.b"?: number;
    /** Begins with a digit. Default: false. */
    "2fa"?: boolean;
    /** Other letters than ASCII's. */
    "größe"?: number;
    /** Letters that a JSON Pointer escapes. An integer. */
    "~/x"?: number;
    /** Capitals within. An integer. */
    camelCase?: number;
    /** What the generated code calls something itself. */
    args?: "option" | "vec";
    /** What Rust's prelude calls something. */
    option?: {
      /** Here, too. */
      string?: "x";
    };
  }): Promise<unknown>;
}
