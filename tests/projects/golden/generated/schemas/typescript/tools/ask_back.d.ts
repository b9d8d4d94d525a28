declare namespace tools {
  /** Ask the user something. */
  function ask_back(args: { [key: string]: never; }): Promise<unknown>;
}
