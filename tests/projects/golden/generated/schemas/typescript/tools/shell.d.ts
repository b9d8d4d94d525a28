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
