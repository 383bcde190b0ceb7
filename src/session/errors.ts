import { CodedError, type CodedErrorOptions } from "../support/coded-error.js";

/** Why a session, a reward or an export was refused. Every code has a row in docs/reference/errors.md. */
export type SessionErrorCode =
  | "invalid_value"
  | "session_not_found"
  | "store_closed"
  | "session_active"
  | "session_ended"
  | "wrong_split"
  | "session_exporting"
  | "session_exported"
  | "session_expired"
  | "session_damaged"
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

/** Writes a message. `spell` returns the name of an option in the reader's spelling, such as `max_length` over HTTP. */
export type SpelledMessage = (spell: (option: string) => string) => string;

/**
 * `message` and `param` spell options like the library (`maxLength`). Use {@link spelled} for readers of the HTTP API.
 */
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

  /** Returns the message with options in another spelling. */
  spelled(spell: (option: string) => string): string {
    return this.#message(spell);
  }
}
