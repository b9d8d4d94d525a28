declare namespace tools {
  /** Return a word of a list. */
  function return_word(args: { [key: string]: never; }): Promise<"yes" | "no">;
}
