import { CodedError } from "../support/coded-error.js";
/**
 * - `not_a_transcript`: the first line is not that of a transcript.
 * - `unsupported_format`: the transcript was written in a format that this version does not know.
 * - `invalid_line`: a line is not what its place in the index promises, or not a line of a transcript.
 * - `line_too_long`: a line has more bytes than the reader allows.
 */
export type TranscriptErrorCode = "not_a_transcript" | "unsupported_format" | "invalid_line" | "line_too_long";
/** A transcript that cannot be read. */
export declare class TranscriptError extends CodedError<TranscriptErrorCode> {
    readonly name = "TranscriptError";
}
