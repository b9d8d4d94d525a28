declare namespace tools {
  /** Take nothing: there is a default for everything. */
  function every_default(args: {
    /** True or false. Default: true. */
    flag?: boolean;
    /** A whole number. An integer. Default: -7. */
    count?: number;
    /** A whole number, written as a float. An integer. Default: 4.0. */
    whole?: number;
    /** The least number of 64 bits. An integer. Default: -9223372036854775808. */
    least?: number;
    /** A number, a tiny one by default. Default: -0.0015. */
    ratio?: number;
    /** A number, written as an integer. Default: 2. */
    even?: number;
    /** A text. Default: "a \"quoted\" \\ text\nof two lines; größer {as} ever". */
    word?: string;
    /** A word from a list. Default: "a_b". */
    choice?: "a-b" | "a_b";
    /** A whole number; null is another answer than none. Numbers are integers. Default: 5. */
    maybe?: number | null;
    /** Texts. Default: ["one","two"]. */
    words?: string[];
    /** Texts. Default: []. */
    empty?: string[];
    /** Words from a list, or null. Default: ["green","red"]. */
    choices?: ("red" | "green")[];
    /** A map of numbers. Default: {"b":2,"a":1.5}. */
    map?: { [key: string]: number; };
    /** A map of numbers. Default: {}. */
    no_map?: { [key: string]: number; };
    /** A record of a name. Default: {"name":"box","size":{"width":2},"tags":["x"]}. */
    record?: {
      /** Its name. */
      name: string;
      /** Its size. */
      size?: {
        /** In metres. */
        width: number;
        /** In metres. Default: 0.5. */
        height?: number;
        /** In metres. */
        depth?: number;
      };
      /** Its tags. */
      tags?: string[];
      /** What else there is to say. */
      note?: string | null;
    };
    /** Objects. Default: [{"id":1},{"id":2,"label":"second"}]. */
    records?: {
      /** Its number. An integer. */
      id: number;
      /** Its label. Default: "none". */
      label?: string;
    }[];
    /** Any value at all, in any form. Default: {"nested":[1,"two",{"three":3.5}]}. */
    anything?: unknown;
    /** Whatever you like. Default: {"key":[true]}. */
    free?: { [key: string]: unknown; };
  }): Promise<unknown>;
}
