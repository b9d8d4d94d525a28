/**
 * The error of making a turn.
 *
 * @module
 */

/** The kind of a {@link TurnError}. */
export type TurnErrorKind =
  | "unknown_dialect"
  | "unknown_toolset"
  | "unknown_tool"
  | "unknown_fact"
  /** An option of the turn, or one of its limits, has an unknown name. */
  | "unknown_option"
  /** The value of the fact has a different type than its default, or is out of range. */
  | "fact_type";

/** The error of making a turn: a name is unknown, or a fact or an option has an invalid value. */
export class TurnError extends Error {
  override readonly name = "TurnError";
  readonly kind: TurnErrorKind;
  /** The name of the dialect, toolset, tool, fact or option, as it was passed. */
  readonly subject: string;

  constructor(kind: TurnErrorKind, subject: string, message: string) {
    super(message);
    this.kind = kind;
    this.subject = subject;
  }
}
