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
