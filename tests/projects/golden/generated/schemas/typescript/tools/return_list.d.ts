declare namespace tools {
  /** Return a list of objects. */
  function return_list(args: { [key: string]: never; }): Promise<{
    /** An integer. */
    id: number;
  }[]>;
}
