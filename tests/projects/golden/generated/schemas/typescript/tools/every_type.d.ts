declare namespace tools {
  /** Take a value of every JSON type, alone and in lists of types. Returns the arguments as they were understood. */
  function every_type(args: {
    /** True or false. */
    flag: boolean;
    /** A whole number. An integer. */
    count: number;
    /** Any number, whole or not. */
    ratio?: number;
    /** Any text. */
    word?: string;
    /** An array of anything. */
    list?: unknown[];
    /** An array of texts. */
    words?: string[];
    /** Rows of numbers. */
    grid?: number[][];
    /** An object that has no properties. */
    bare?: { [key: string]: never; };
    /** Null, and nothing else. */
    nothing?: null;
    /** Any value at all. */
    anything?: unknown;
    /** A whole number, or null. Numbers are integers. */
    maybe_count?: number | null;
    /** An array of texts and nulls, or null. */
    null_or_words?: (string | null)[] | null;
    /** A text, or null for none. */
    must_be_told: string | null;
    /** A text or a whole number. Numbers are integers. */
    word_or_count?: string | number;
    /** Anything but a text. */
    mix?: number | boolean | unknown[] | { [key: string]: never; } | null;
  }): Promise<unknown>;
}
