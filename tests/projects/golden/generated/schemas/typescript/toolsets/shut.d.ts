declare namespace tools {
  /** Compute for long, on a thread of its own. */
  function crunch(args: {
    /** How it ends. Default: "well". */
    outcome?: "well" | "fail" | "panic";
  }): Promise<unknown>;
}

declare namespace tools {
  /** Pretend to erase everything. */
  function erase(args: { [key: string]: never; }): Promise<unknown>;
}

declare namespace tools {
  /** Fetch what a page names. */
  function fetch_all(args: {
    /** Name of the page to fetch. */
    page: string;
  }): Promise<unknown>;
}

declare namespace tools {
  /** Pretend to run a command. */
  function shell(args: {
    /** What a shell is to run. */
    command: string;
    /** The input for the command when it asks for a password. At most 20 characters. */
    password?: string;
    /** On whose behalf. */
    account?: {
      /** Its number. An integer. */
      pin?: number;
    };
    /** What proves that it is you. Default: "none". */
    code?: string;
  }): Promise<unknown>;
}
