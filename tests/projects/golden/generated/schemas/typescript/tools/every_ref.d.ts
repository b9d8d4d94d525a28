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
  /** A word, in time. At least 1 character. */
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
