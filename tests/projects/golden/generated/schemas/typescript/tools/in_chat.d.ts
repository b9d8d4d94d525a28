declare namespace tools {
  /** Are there in a chat only. */
  function in_chat(args: { [key: string]: never; }): Promise<unknown>;
}
