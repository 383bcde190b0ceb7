import { CodedError, type CodedErrorOptions } from "../support/coded-error.js";

/** Why a session, a reward or an export was refused. Every code has a row in docs/reference/errors.md. */
export type SessionErrorCode =
  | "invalid_value"
  | "session_not_found"
  | "store_closed"
  | "session_active"
  | "session_ended"
  | "session_exporting"
  | "session_exported"
  | "session_expired"
  | "interaction_not_found"
  | "no_interactions"
  | "no_capacity"
  | "api_key_in_use"
  | "concat_mismatch"
  | "max_length_exceeded"
  | "too_few_rows"
  | "batch_not_exportable"
  | "reward_overflow"
  | "call_superseded"
  | "call_aborted";

/** A message that names options: `spell` gives an option's name as the reader writes it. */
export type SpelledMessage = (spell: (option: string) => string) => string;

/** Its message and `param` name options as the library spells them; {@link SessionError.spelled} is for other readers. */
export class SessionError extends CodedError<SessionErrorCode> {
  override readonly name = "SessionError";
  readonly #message: SpelledMessage;

  constructor(code: SessionErrorCode, message: string | SpelledMessage, options?: CodedErrorOptions) {
    const spelled = typeof message === "string" ? () => message : message;
    super(
      code,
      spelled((option) => option),
      options,
    );
    this.#message = spelled;
  }

  /** Returns the message for readers that spell options in another way. */
  spelled(spell: (option: string) => string): string {
    return this.#message(spell);
  }
}
