declare namespace tools {
  /** Give way once. */
  function give_way(args: { [key: string]: never; }): Promise<unknown>;
}
