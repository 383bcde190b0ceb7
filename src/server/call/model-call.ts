import type { AnswerStart, GenerationAnswer } from "../../protocols/generation-answer.js";
import type { ModelRequest } from "../../protocols/model-request.js";
import type { RequestIdentity } from "../../session/calls.js";
import type { Api, Interaction } from "../../session/interaction.js";
import type { Session } from "../../session/session.js";
import type { OutputSink, ReadOutput } from "./output-reader.js";

/** One model call, whatever its protocol. */
export interface ModelCall {
  readonly session: Session;
  readonly api: Api;
  readonly idPrefix: string;
  readonly request: ModelRequest;
  /** Milliseconds since the epoch, when the call began. */
  readonly startedAt: number;
  /** Which earlier request this one repeats, if any. */
  readonly retry: Omit<RequestIdentity, "requestKey">;
  /** Aborts when the agent's connection drops. */
  readonly disconnected: AbortSignal;
  /** Told of a field that asks for something that the engine cannot be made to do, and that is harmless. */
  readonly onUnenforced: (field: string) => void;
  /** Told of the sampling fields whose value the configuration replaced, before the engine is asked. */
  readonly onOverridden: (fields: readonly string[]) => void;
  /** Who is told the output while it is generated. */
  readonly sink?: AnswerSink | undefined;
}

export interface AnswerSink extends OutputSink {
  /** Whether the operating system has all content of a recorded answer. */
  readonly delivered: boolean;
  /** The prompt is built and goes to the engine. `advance` is to be called when there is room again. */
  start(start: AnswerStart, advance: () => void): void;
}

/** A call that was recorded. */
export interface CallRecord {
  readonly answer: GenerationAnswer;
  readonly interaction: Interaction;
  /** The end of the output, which the sink was not told yet. */
  readonly rest: Pick<ReadOutput, "rest" | "restTokens">;
}
