import { z } from "zod";
import type { WithoutChannels } from "../facts/channels.js";
import type { SamplingOverrideFields } from "../facts/sampling-override.js";
import type { LeftOutInteraction } from "./delivery/delivery.js";
import type { SessionState } from "./lifecycle.js";

/** Counts of a session's calls. */
export interface CallCounts {
  /** Number of interactions when the session ended. */
  countAtEnd: number;
  /** Calls that exports aborted because they did not end in time. */
  incompleteCalls: number;
  /** Calls whose client disconnected before they were recorded. */
  abortedCalls: number;
  /** Calls to upstreams. They are not recorded. */
  upstreamCalls: number;
  /** Input tokens of all recorded calls together. */
  promptTokens: number;
  /** Output tokens of all recorded calls together. */
  completionTokens: number;
}

/** Returns the counts of a stored session; of a new one, zeros. */
export function readCallCounts({
  countAtEnd = 0,
  incompleteCalls = 0,
  abortedCalls = 0,
  upstreamCalls = 0,
  promptTokens = 0,
  completionTokens = 0,
}: Partial<CallCounts> = {}): CallCounts {
  return { countAtEnd, incompleteCalls, abortedCalls, upstreamCalls, promptTokens, completionTokens };
}

/** The purpose of a session: training or evaluation. */
export const splitSchema = z.enum(["train", "eval"]).default("train");

export type Split = z.output<typeof splitSchema>;

/** The values that are fixed when a session starts. */
export interface SessionStart {
  readonly taskId: string;
  readonly groupId?: string | undefined;
  /** Sampling parameters of each call of the session. */
  readonly samplingOverride?: SamplingOverrideFields | undefined;
  /** Channels that the session does not record. Default: none. */
  readonly withoutChannels?: WithoutChannels;
  /** Default: `train`. */
  readonly split?: Split | undefined;
  /** The run that the session belongs to. */
  readonly runId?: string | undefined;
  /** The header `X-Session-ID` of its calls, which is its name in its run. */
  readonly xSessionId?: string | undefined;
}

/** Returns the values of a stored session that were fixed when it started. */
export function readStart(start: SessionStart): SessionStart {
  const { taskId, groupId, samplingOverride, withoutChannels, split, runId, xSessionId } = start;
  return { taskId, groupId, samplingOverride, withoutChannels, split, runId, xSessionId };
}

/** The values of a session that stay in memory while its data is on disk only, and after its data was freed. */
export interface SessionSummary extends SessionStart, Readonly<CallCounts> {
  readonly id: string;
  /** Lease of the rollout job that started the session. */
  readonly leaseId?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly state: SessionState;
  /** Milliseconds since the epoch; undefined while the session is active. */
  readonly endedAt?: number | undefined;
  /** True if the session's data was freed. */
  readonly freed: boolean;
  /** True if the session's export waits for an acknowledgement. */
  readonly held: boolean;
  /** True if an export was acknowledged. */
  readonly acknowledged: boolean;
  readonly interactionCount: number;
  readonly storedTokens: number;
  /** Number of interactions with a reward of their own. */
  readonly rewards: number;
  readonly sessionReward?: number | undefined;
  /** The interactions that every export leaves out. Absent before the first export. */
  readonly leftOut?: readonly LeftOutInteraction[] | undefined;
}
