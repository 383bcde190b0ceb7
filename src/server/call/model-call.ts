import type { Api } from "../../facts/call-facts.js";
import type { Peer } from "../../http/disconnect.js";
import type { AnswerStart, GenerationAnswer } from "../../protocols/generation-answer.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { RequestIdentity } from "../../session/delivery/calls-in-flight.js";
import type { RecordedInteraction } from "../../session/recorded-interaction.js";
import type { Session } from "../../session/session.js";
import type { AdmittedCall } from "../limits/admission.js";
import type { OutputSink, ReadOutput } from "./answer-reader.js";
import type { CallOrigin } from "./call-origin.js";

/** A model call in the form that all protocols share. */
export interface ModelCall {
  readonly session: Session;
  /** See {@link Session.takeovers}: the number when the call was authenticated. */
  readonly takeovers: number;
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  /** The call as it was admitted; null if the session accepts no calls. */
  readonly admitted: AdmittedCall | null;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt: number;
  /** Identifies the earlier request that this one repeats, if any. */
  readonly retry: Omit<RequestIdentity, "requestKey">;
  /** The caller's tag and the agent program's hints. */
  readonly origin: CallOrigin;
  /** Headers of the agent's trace, for the engine. */
  readonly traceHeaders: Readonly<Record<string, string>> | undefined;
  readonly client: Peer;
  /** Called with the ids of the interactions that the call will record, before generation. */
  readonly onBegun: (ids: readonly string[]) => void;
  /** Called for a field that the engine ignores without harm, so that it is not refused. May be called several times. */
  readonly onUnenforced: (field: string) => void;
  /** Called before generation with the sampling fields whose value the configuration replaced. */
  readonly onOverridden: (fields: readonly string[]) => void;
  /** Returns the memory that the call keeps besides its interaction once it is recorded, without its output, in bytes. */
  readonly measureKept?: (() => number) | undefined;
  /** Called once the call is recorded. The end of the answer is sent only after the returned promise has resolved. */
  readonly onRecorded?: ((record: CallRecord) => Promise<void> | undefined) | undefined;
  /** Receives the output while it is generated; undefined if the answer is not streamed. */
  readonly stream?: AnswerStream | undefined;
}

export interface AnswerStream {
  /** True once the operating system has accepted all content of the recorded answers. */
  readonly delivered: boolean;
  /** Returns the sink of one choice. All choices are started before the first of them has output. */
  choice(index: number): AnswerSink;
}

export interface AnswerSink extends OutputSink {
  /** Called when the prompt is built. The sink calls `advance` whenever it has room again. */
  start(start: AnswerStart, advance: () => void): void;
}

/** One answer of a recorded call. */
export interface CallRecord {
  readonly answer: GenerationAnswer;
  readonly interaction: RecordedInteraction;
  /** The end of the output, which was not written to the sink. */
  readonly unsent: Pick<ReadOutput, "unsentEvents" | "unsentTokens">;
}
