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

declare namespace tools {
  /** Take values within bounds. */
  function every_bound(args: {
    /** From -3 to 3. An integer. At least -3. At most 3. Examples: -3, 0, 3. */
    closed?: number;
    /** Between -0.5 and 1e3, without these. More than -0.5. Less than 1000.0. Examples: 0.25, 999.5. */
    open?: number;
    /** A multiple of a quarter. A multiple of 0.25. */
    step?: number;
    /** As far as 64 bits reach. An integer. At least -9223372036854775808. At most 9223372036854775807. */
    extreme?: number;
    /** Two to four characters. At least 2 characters. At most 4 characters. Examples: "äöü", "four". */
    length?: string;
    /** One to three different numbers. At least 1 item. At most 3 items. Items must be unique. Examples: [1,2], [3]. */
    items?: (/** An integer. At least 0. */ number)[];
    /** Numbers, as often as you like. */
    again?: (/** An integer. */ number)[];
    /** One or two keys of any name. At least 1 property. At most 2 properties. */
    keys?: { [key: string]: unknown; };
  }): Promise<unknown>;
}

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

declare namespace tools {
  /** Take nothing at all. Goes with run_now. */
  function no_parameters(args: { [key: string]: never; }): Promise<unknown>;
}

declare namespace tools {
  /** End in the way that is asked for, at once. */
  function run_now(args: {
    /** How to end. Default: "echo". */
    outcome?: "echo" | "fail" | "refuse" | "panic";
  }): Promise<unknown>;
}
