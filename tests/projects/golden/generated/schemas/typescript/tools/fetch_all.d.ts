declare namespace tools {
  /** Fetch what a page names. */
  function fetch_all(args: {
    /** Name of the page to fetch. */
    page: string;
  }): Promise<unknown>;
}
