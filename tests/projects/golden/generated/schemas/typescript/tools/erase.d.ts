declare namespace tools {
  /** Pretend to erase everything. */
  function erase(args: { [key: string]: never; }): Promise<unknown>;
}
