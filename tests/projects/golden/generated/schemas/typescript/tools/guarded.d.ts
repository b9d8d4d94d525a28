declare namespace tools {
  /** Need all sorts of things. */
  function guarded(args: { [key: string]: never; }): Promise<unknown>;
}
