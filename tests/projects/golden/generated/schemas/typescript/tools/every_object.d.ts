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
