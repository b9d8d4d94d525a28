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
