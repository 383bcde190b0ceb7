import type { Message, Tool } from "../conversation/message.js";

/**
 * The transcript of a job: `<out>.jsonl`, one JSON line each for the job, every episode, every batch and every training
 * step, in the order in which they happened. `<out>.jsonl.index` has a line for each line of the transcript: where it
 * is, and what a list of episodes shows ({@link IndexLine}). Times are in seconds since the Unix epoch, durations in
 * seconds. A field that is absent was not recorded.
 */
export const TRANSCRIPT_FORMAT = 1;

export type TranscriptLine = RunLine | EpisodeLine | BatchLine | StepLine;

/** The first line. */
export interface RunLine {
  readonly type: "run";
  readonly format: typeof TRANSCRIPT_FORMAT;
  readonly started_at: number;
  readonly model?: string;
  /** SHA-256 of the model folder's tokenizer and template, as in the metadata of batches. */
  readonly model_digest?: string;
  /** Folder of the model at the time of the job. */
  readonly model_path?: string;
  readonly tasks?: number;
  readonly group_size?: number;
  /** Turn discount γ of the rewards. */
  readonly discount?: number;
}

/** A batch that was written. */
export interface BatchLine {
  readonly type: "batch";
  /** Number of the training step that the batch is for, from 0. */
  readonly number: number;
  /** Name of the tensor file; relative to the folder of the transcript. */
  readonly file: string;
  /** Weight version when the batch was complete. */
  readonly version: number;
  readonly at: number;
  readonly session_ids: readonly string[];
}

/** A batch that the trainer consumed. */
export interface StepLine {
  readonly type: "step";
  readonly number: number;
  /** Weight version after the step. */
  readonly version: number;
  readonly at: number;
  readonly duration: number;
}

/** One run of the agent on a task. */
export interface EpisodeLine {
  readonly type: "episode";
  /** Absent if the episode was rejected before it had a session. */
  readonly session_id?: string;
  /** Position of the task in the data, from 0. */
  readonly task: number;
  readonly task_id: string;
  readonly group_id?: string;
  readonly accepted: boolean;
  /** Why a rejected episode was rejected. */
  readonly error?: { readonly code: string; readonly message: string; readonly stack?: string };
  /** Weight version when the task began. */
  readonly version: number;
  readonly started_at?: number;
  readonly duration?: number;
  /** Reward of the session (`scope: session`). */
  readonly session_reward?: number;
  /** In the order of their completion. */
  readonly interactions: readonly TranscriptInteraction[];
  /** Why interactions are missing: the server had forgotten the session, for example. */
  readonly incomplete?: string;
}

/** The recorded steps of a session: the answer of `GET /rl/sessions/{id}/transcript`. */
export interface SessionTranscript
  extends Pick<EpisodeLine, "task_id" | "group_id" | "started_at" | "duration" | "session_reward" | "interactions"> {
  readonly session_id: string;
  readonly state: "active" | "ended" | "exported" | "expired";
  /** Facts about the interactions for a list of episodes. */
  readonly summary: InteractionsSummary;
}

/** One model call, as what it adds to its parent. */
export interface TranscriptInteraction {
  readonly id: string;
  /** Index of the parent in `interactions`; -1 for a root. */
  readonly parent: number;
  /**
   * Number of messages at the start of the parent's conversation (its messages and its answer) that this conversation
   * begins with, too; 0 for a root.
   */
  readonly kept: number;
  /** Which of the kept messages the request spelled differently, such as one without its reasoning; by position. Absent: none. */
  readonly respelled?: readonly (readonly [position: number, message: Message])[];
  /** The messages of the request after the kept ones. */
  readonly messages: readonly Message[];
  /**
   * Tools of the request; empty if it had none, but its parent had. Absent if they are those of the parent (of a root: if there are none),
   * or if `tools_of` tells them.
   */
  readonly tools?: readonly Tool[];
  /**
   * Index of the earlier interaction whose `tools` these are: a list is written once in an episode, also if agents alternate between lists
   * of megabytes.
   */
  readonly tools_of?: number;
  readonly answer: Message;
  readonly finish_reason: string;
  /** Present on a side call and on a call of a sub-agent. */
  readonly api?: string;
  readonly requested_model?: string;
  readonly request_kind?: string;
  readonly tag?: string;
  readonly agent_id?: string;
  readonly parent_agent_id?: string;
  readonly compacted_from?: string;
  /** Index of the answer among those of its call, if there were several. */
  readonly choice?: number;
  /** Number of earlier attempts of the same request. */
  readonly attempt?: number;
  /** Why an export leaves the interaction out: its answer did not reach the agent, for example. */
  readonly left_out?: string;
  readonly created_at: number;
  readonly latency?: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Tokens at the start of the prompt that are those of the parent's sequence (prompt and output). */
  readonly shared_tokens: number;
  /** Lowest and highest weight version of the output's tokens. */
  readonly versions?: readonly [number, number];
  readonly token_exact: boolean;
  /** Why the prompt does not begin with all tokens of the parent. */
  readonly cause?: string;
  /** Reward that was set for the interaction itself. */
  readonly own_reward?: number;
  /** Reward after discount. */
  readonly reward: number;
  readonly sampling?: Readonly<Record<string, number | boolean | string | null>>;
}

/** Where a line of the transcript is. */
export interface LinePosition {
  /** In bytes. */
  readonly offset: number;
  /** In bytes, without the line feed. */
  readonly length: number;
}

export type IndexLine = LinePosition & (RunLine | BatchLine | StepLine | EpisodeSummary);

/** An episode without its texts. */
export interface EpisodeSummary extends Omit<EpisodeLine, "interactions" | "error">, InteractionsSummary {
  /** Code of the error. */
  readonly error?: string;
}

/** The interactions of an episode without their texts. */
export interface InteractionsSummary {
  /** The session's reward plus the own reward of each interaction, undiscounted, as the agent returned them; null if none was set. */
  readonly reward: number | null;
  readonly calls: number;
  /** Depth of the deepest interaction, from 1. */
  readonly turns: number;
  /** Of all calls. */
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  /** Number of calls by finish reason. */
  readonly finish_reasons: Readonly<Record<string, number>>;
  /** Number of calls whose prompt does not begin with all tokens of its parent. */
  readonly broken: number;
  readonly left_out: number;
  readonly branches: number;
  /** Lowest and highest weight version of all outputs. */
  readonly versions?: readonly [number, number];
}

/**
 * A line of a job's metrics file, `<out>.metrics.jsonl`: the number of the step, its weight version and time, and the metrics of job and
 * trainer by name.
 */
export type MetricsLine = Readonly<Record<string, number>> & {
  readonly step: number;
  readonly version: number;
  readonly time: number;
};
