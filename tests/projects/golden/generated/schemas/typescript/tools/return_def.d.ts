declare namespace tools {
  /** Return what has a name. */
  function return_def(args: { [key: string]: never; }): Promise<return_def$found>;
  /** What was found. */
  type return_def$found = { path: string; more?: return_def$found; };
}
