declare namespace tools {
  /** On cli, 2 deep. {% Alone. */
  function depends(args: {
    /** What to return. Default: "text". */
    mode?: "text";
    /** Nothing in it is always there. */
    inner?: {
      /** There without either. */
      c?: string;
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

declare namespace tools {
  /**
   * Take objects of every sort.
   *
   * They may hold each other, and `code`, "quotes", {{braces}}, 100 % and a \ stay as they are: ```rust
   * fn main() {}
   * ```
   */
  function every_object(args: {
    /** An object with properties, in an array, in an object. */
    order: {
      /** The lines of the order. */
      lines: (/** One line. */ {
        /** What is ordered. */
        item: string;
        /** How many of it. An integer. At least 1. Default: 1. */
        amount?: number;
        /** What else there is to say. */
        note?: string | null;
      })[];
      /** Where it goes. */
      address?: {
        /** Street and number. */
        street?: string;
      };
    };
    /** A map of texts. */
    labels?: { [key: string]: string; };
    /** A map of objects. */
    sizes?: {
      [key: string]: {
        /** In metres. */
        width: number;
        /** In metres. */
        height?: number;
      };
    };
    /** A map of arrays of maps. */
    groups?: { [key: string]: { [key: string]: boolean; }[]; };
    /** Whatever you like. */
    free?: { [key: string]: unknown; };
    /** A property that is known, and any others. */
    mixed?: {
      /** This one is known. An integer. */
      known?: number;
      [key: string]: unknown;
    };
    /** No others. */
    closed?: {
      /** This one is known. An integer. */
      known?: number;
    };
    /** An object, or null. */
    maybe?:
      | {
        /** This one is known. An integer. */
        known?: number;
      }
      | null;
  }): Promise<unknown>;
}

declare namespace tools {
  /** Take values whose schemas have names, and lead to one another. */
  function every_ref(args: /** Whatever is defined below. Deprecated: avoid using this. Example: {"tree":{"label":"root","children":[{"label":"leaf"}]}}. */ {
    /** A tree, which holds trees. Default: {"label":"seed","best":{"label":"only"}}. Example: {"label":"x"}. */
    tree: every_ref$tree;
    /** A list, link by link. Default: {"value":1,"next":{"value":2}}. */
    list?: every_ref$list;
    /** A chain of two sorts. */
    even?: every_ref$even;
    /** Default: ["one"]. */
    words?: every_ref$words;
    /** The same once more. */
    again?: every_ref$words_by_another_name;
    /** Lists of lists. Default: [[],[[]]]. */
    nest?: every_ref$nest;
    /** Folders in folders, by name. */
    folders?: every_ref$folders;
    /** A point, or none. */
    maybe?: every_ref$point | null;
    /** A point, or null; told so by its definition. Default: null. */
    nullable?: every_ref$maybe_point;
    /** Deprecated: avoid using this. Default: "red". */
    colour?: every_ref$colour;
    /** A number, a name, or what is made of them. Default: {"op":"not","of":1}. */
    expression?: every_ref$expression;
    /** A word of two letters and more. At least 2 characters. */
    narrow?: every_ref$word;
    /** A word of one to four letters. At most 4 characters. */
    all?: every_ref$word;
    /** Where the line goes along. */
    points?: every_ref$point[];
  }): Promise<unknown>;
  /** A tree. */
  type every_ref$tree = {
    label: every_ref$word;
    /** What grows on it. */
    children?: every_ref$tree[];
    /** The best of them. */
    best?: every_ref$tree;
  };
  /** A link of a list. */
  type every_ref$list = {
    /** What it holds. An integer. */
    value: number;
    /** The next element. */
    next?: every_ref$list | null;
  };
  type every_ref$even = {
    /** The next one. */
    odd?: every_ref$odd;
  };
  /** Words. */
  type every_ref$words = every_ref$word[];
  type every_ref$words_by_another_name = every_ref$words;
  type every_ref$nest = every_ref$nest[];
  type every_ref$folders = { [key: string]: every_ref$folders; };
  /** A point. */
  type every_ref$point = {
    /** To the right. */
    x: number;
    /** Upwards. Default: 0.5. */
    y?: number;
  };
  /** Exactly one of the alternatives must match. */
  type every_ref$maybe_point = null | every_ref$point;
  /** A colour. */
  type every_ref$colour = "red";
  type every_ref$expression = number | every_ref$word | every_ref$negation | every_ref$sum;
  /** A word. At least 1 character. */
  type every_ref$word = string;
  type every_ref$odd = {
    /** The next but one. */
    even: every_ref$even;
    /** Out of the chain. */
    back?: every_ref$tree;
  };
  type every_ref$negation = {
    /** Which. */
    op: "not";
    /** What is negated. */
    of: every_ref$expression;
  };
  type every_ref$sum = {
    /** Which. */
    op: "sum";
    /** What is added. */
    of: every_ref$expression[];
  };
}

declare namespace tools {
  /** Take values of several distinguishable kinds, and objects with additional properties. */
  function every_sort(args: /** At most 20 properties. */ {
    /** What to draw: one of several kinds. Default: {"kind":"square","side":2}. Exactly one of the alternatives must match. */
    shape?:
      | /** Round. */ {
        /** Which. */
        kind: "circle";
        /** In metres. */
        radius: number;
      }
      | /** Not round. */ {
        /** In metres. */
        side: number;
        /** Which. */
        kind: "square";
        /** What it says. Default: "none". */
        label?: string;
      };
    /** What was drawn. */
    named?: every_sort$line | every_sort$text | null;
    /** Told apart by a number. */
    level?:
      | {
        /** Which. */
        version: 1;
        [key: string]: unknown;
      }
      | {
        /** Which. */
        version: 2;
        /** Its name. */
        name?: string;
      };
    /** Anything: told apart by its type. Default: ["a","b"]. */
    by_type?:
      | null
      | boolean
      | /** An integer. */ number
      | string
      | string[]
      | {
        [key: string]: /** An integer. */ number;
      };
    /** Numbers or words, or both. */
    ids?: (
      | /** An integer. At least 1. */ number
      | "all"
      | "none")[];
    /** A word, or one of two objects. */
    together?:
      | string
      | null
      | {
        /** Whether. */
        on: true;
      }
      | {
        /** Whether. */
        on: false;
      };
    /** Two that are known, and any others. Default: {"name":"x","more":[1,null]}. */
    open?: {
      /** Its name. */
      name: string;
      /** Named as what is left. An integer. */
      rest?: number;
      [key: string]: unknown;
    };
    /** A declared property, and others of one type. */
    counts?: {
      /** The sum of all values. An integer. Default: 0. */
      total?: number;
      [key: string]:
        | /** An integer. At least 0. */ number
        | number
        | undefined;
    };
    /** One of several kinds, or null. */
    nullable_sort?: null | every_sort$sort;
    /** By name. Default: {"a":1,"b":{"x":2},"c":null}. */
    sorts?: { [key: string]: every_sort$nullable_sort; };
    /** Nested alternatives cannot be told apart: any value. */
    mixed?: every_sort$sort | boolean;
    /** Both are numbers: any value. Exactly one of the alternatives must match. Alternatives: An integer. | At least 0. */
    sides?: number;
    /** One of two objects. */
    presets?: { a: 1; } | { a: 2; };
    [key: string]: string | { kind: "circle"; radius: number; } | { side: number; kind: "square"; label?: string; } | every_sort$line | every_sort$text | null | { version: 1; [key: string]: unknown; } | { version: 2; name?: string; } | boolean | number | string[] | { [key: string]: number; } | (number | "all" | "none")[] | { on: true; } | { on: false; } | { name: string; rest?: number; [key: string]: unknown; } | { total?: number; [key: string]: number | undefined; } | every_sort$sort | { [key: string]: every_sort$nullable_sort; } | { a: 1; } | { a: 2; } | undefined;
  }): Promise<unknown>;
  /** A line. */
  type every_sort$line = {
    /** Which. */
    kind: "line";
    /** Where it ends. */
    to?: number[];
  };
  /** A text. */
  type every_sort$text = {
    /** Which. */
    kind: "text";
    /** What it says. Default: "". */
    text?: string;
  };
  type every_sort$sort =
    | /** An integer. */ number
    | every_sort$maybe_point;
  type every_sort$nullable_sort = every_sort$sort | null;
  type every_sort$maybe_point =
    | {
      /** To the right. An integer. */
      x: number;
    }
    | null;
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

declare namespace tools {
  /** Take one of two arguments, at least. */
  function exclusive(args:
    & {
      /** Where it is. */
      path?: string;
      /** Its number. An integer. */
      id?: number;
    }
    & (
      | {
        /** Where it is. */
        path: unknown;
        [key: string]: unknown;
      }
      | {
        /** Its number. */
        id: unknown;
        [key: string]: unknown;
      })
    & { [key: string]: unknown; }
    & object): Promise<unknown>;
}
