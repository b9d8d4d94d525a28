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
