declare namespace tools {
  /** Return a value of every type. */
  function return_all(args: {
    /** What is to be returned as it came. */
    tree: return_all$tree;
    /** The same of a node. */
    node?: return_all$node;
  }): Promise</** What came of it. */ {
    tree: return_all$tree;
    node?: return_all$node;
    nest?: return_all$nest;
    maybe: string | null;
    left_out?: string | null;
    /** An integer. Default: 3. */
    count?: number;
    ratio?: number;
    mode: "fast" | "slow";
    words?: string[];
    by_name?: { [key: string]: boolean; };
    /** Anything. */
    any?: unknown;
    shapes?: (
      | { radius: number; kind: "circle"; }
      | { kind: "point"; }
      | {
        kind: "square";
        [key: string]:
          | /** An integer. */ number
          | "square";
      })[];
    [key: string]: unknown;
  }>;
  type return_all$tree = {
    /** What it says. */
    label: string;
    /** What grows on it. Default: []. */
    children?: return_all$tree[];
    /** The next sibling. */
    next?: return_all$tree;
  };
  /** Exactly one of the alternatives must match. */
  type return_all$node =
    | return_all$tree
    | /** An integer. */ number
    | "none"
    | "any";
  type return_all$nest = return_all$nest[];
}

declare namespace tools {
  /** Return anything, in any form. */
  function return_bare(args: { [key: string]: never; }): Promise</** Anything. */ unknown>;
}

declare namespace tools {
  /** Return what has a name. */
  function return_def(args: { [key: string]: never; }): Promise<return_def$found>;
  /** What was found. */
  type return_def$found = { path: string; more?: return_def$found; };
}

declare namespace tools {
  /** Return a list of objects. */
  function return_list(args: { [key: string]: never; }): Promise<{
    /** An integer. */
    id: number;
  }[]>;
}

declare namespace tools {
  /** Return an object, or null. */
  function return_maybe(args: {
    /** Whether there is one. */
    found: boolean;
  }): Promise<
    | {
      /** An integer. */
      id: number;
    }
    | null>;
}

declare namespace tools {
  /** Return a number or a word. */
  function return_sort(args: {
    /** What to return. */
    as:
      | /** An integer. */ number
      | string;
  }): Promise<
    | /** An integer. */ number
    | string>;
}

declare namespace tools {
  /** Return a word of a list. */
  function return_word(args: { [key: string]: never; }): Promise<"yes" | "no">;
}
