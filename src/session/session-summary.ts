import type { LeftOutInteraction } from "./delivery/delivery.js";
import type { SessionState } from "./lifecycle.js";

/** The values of a session that stay in memory while its data is on disk only, and after its data was freed. */
export interface SessionSummary {
  readonly id: string;
  readonly taskId: string;
  readonly groupId?: string | undefined;
  /** Lease of the rollout job that started the session. Absent in records of earlier versions: none. */
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
  /** True if an export was acknowledged. Absent in records of earlier versions: false. */
  readonly acknowledged?: boolean | undefined;
  readonly interactionCount: number;
  /** Number of interactions when the session ended. */
  readonly countAtEnd: number;
  readonly incompleteCalls: number;
  readonly abortedCalls: number;
  /** Absent in records of earlier versions: none. */
  readonly upstreamCalls?: number | undefined;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly storedTokens: number;
  /** Number of interactions with a reward of their own. */
  readonly rewards: number;
  readonly sessionReward?: number | undefined;
  /** The interactions that every export leaves out. Absent before the first export, and in records of earlier versions. */
  readonly leftOut?: readonly LeftOutInteraction[] | undefined;
}
