/** Why a session, a reward or an export was refused. Every code has a row in docs/errors.md. */
export type SessionErrorCode =
  | "invalid_value"
  | "session_not_found"
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

export interface SessionErrorDetails {
  /** The field that was wrong. */
  readonly param?: string;
  /** Machine-readable particulars, sent beside the message. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export class SessionError extends Error {
  override readonly name = "SessionError";
  readonly code: SessionErrorCode;
  readonly param: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: SessionErrorCode, message: string, { param, details }: SessionErrorDetails = {}) {
    super(message);
    this.code = code;
    this.param = param;
    this.details = details;
  }
}
