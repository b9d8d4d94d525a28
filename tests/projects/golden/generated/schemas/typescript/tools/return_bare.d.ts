declare namespace tools {
  /** Return anything, in any form. */
  function return_bare(args: { [key: string]: never; }): Promise</** Anything. */ unknown>;
}
