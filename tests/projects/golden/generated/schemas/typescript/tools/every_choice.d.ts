declare namespace tools {
  /** Choose values from lists. */
  function every_choice(args: {
    /** In which order. */
    order: "asc" | "desc";
    /** Words that are not identifiers, and words that would become the same one. */
    odd?: "" | "a-b" | "a_b" | "Self" | "3d" | "type" | "größe" | "+" | "say \"hi\"";
    /** One of three numbers. Default: 2. */
    level?: 1 | 2 | 3;
    /** One of three numbers. */
    factor?: 0.5 | 1 | -2.5;
    /** Only the values say what type it is. */
    untyped?: "yes" | "no";
    /** Values of several types. */
    mixed?: "auto" | 1 | 2.5 | true | ["a", 1] | { key: "value"; } | null;
    /** A word. Default: null. */
    maybe?: "left" | null | "right";
    /** Words from a list. */
    several?: ("red" | "green" | "blue")[];
  }): Promise<unknown>;
}
