declare namespace tools {
  /** Count the words of several texts. Returns the number of words of each text. Example: {"texts":{"first":"one two"}}. */
  function count_words(args: {
    /** The texts, by name. */
    texts: { [key: string]: string; };
    /** The language of the texts. */
    language?: "en";
    /** The shortest words that count, in letters. An integer. At least 1. At most 20. Default: 1. */
    minimum?: number;
  }): Promise<{
    [key: string]: /** An integer. */ number;
  }>;
}
