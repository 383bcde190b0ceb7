/** Why a session, a reward or an export was refused. Every code has a row in docs/errors.md. */
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

export interface SessionErrorDetails {
  /** The field that was wrong, as the library spells it. */
  readonly param?: string;
  /** Machine-readable particulars, sent beside the message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Its message and `param` name options as the library spells them; {@link SessionError.spelled} is for other readers. */
export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly param: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  readonly #message: SpelledMessage;

  constructor(code: SessionErrorCode, message: string | SpelledMessage, { param, details }: SessionErrorDetails = {}) {
    const spelled = typeof message === "string" ? () => message : message;
    super(spelled((option) => option));
    this.#message = spelled;
    this.code = code;
    this.param = param;
    this.details = details;
  }

  /** The message for readers that spell options in another way. */
  spelled(spell: (option: string) => string): string {
    return this.#message(spell);
  }
}
