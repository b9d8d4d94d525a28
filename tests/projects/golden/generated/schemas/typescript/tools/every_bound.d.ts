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
