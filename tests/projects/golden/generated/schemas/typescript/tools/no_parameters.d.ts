declare namespace tools {
  /** Take nothing at all. Goes with run_now. */
  function no_parameters(args: { [key: string]: never; }): Promise<unknown>;
}
