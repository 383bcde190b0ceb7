import type { ConnectionPool } from "../client/connection-pool.js";
import type { ExportFilters } from "../client/export-filters.js";
import type { ExportStyle } from "../client/interaction.js";
import type { Interactions } from "../client/interactions.js";
import type { Telemetry } from "../telemetry/telemetry.js";
import type { EpisodeTranscript } from "../transcript/episode-transcript.js";
import type { CutSessions } from "./cut-sessions.js";
import type { Rejection } from "./rejection.js";

/**
 * The options that an agent passes to the SDK of OpenAI or Anthropic: `new OpenAI({ baseURL: base_url, apiKey: api_key,
 * fetch: http_client, maxRetries: 0 })`. Turn retries off, because a call that is sent again generates again.
 */
export interface AgentContext {
  /** Address of the proxy, without `/v1`. Behind a gateway with `gateway.direct`, the address of the session's worker. */
  readonly base_url: string;
  /** The session key. */
  readonly api_key: string;
  /**
   * The `fetch` option of the SDKs. All episodes share its connection pool. Its requests are aborted when the episode
   * ends.
   */
  readonly http_client: typeof fetch;
  /** Aborts when the episode is aborted by its caller or exceeds its time. */
  readonly signal: AbortSignal;
  /** Id of the task, and of the group of episodes. Undefined if the caller gave none. */
  readonly task_id?: string | undefined;
  readonly group_id?: string | undefined;
}

/**
 * The reward that an agent returns. A number rewards the last completed call or the session ({@link RewardScope}). A
 * mapping from completion ids rewards each of these calls.
 */
export type AgentReward = number | Readonly<Record<string, number>> | ReadonlyMap<string, number>;

/**
 * An agent throws this, or any error of a class with this name, to reject its episode on purpose: the task cannot be used. The
 * episode is rejected with `agent_refused`, and does not run again.
 */
export class AgentRefusal extends Error {
  override readonly name = "AgentRefusal";
}

/** A program that calls a language model and returns a reward. It needs to know nothing else about training. */
export interface Agent<Data = unknown> {
  run(data: Data, context: AgentContext): AgentReward | Promise<AgentReward>;
  /**
   * Goes on with an episode that was cut by a crash of its process, its job or its proxy. Its session goes on too: calls continue its
   * turns, and rewards that were set stay. Called instead of `run` if the session has an answered call.
   *
   * Without `resume`, such an episode begins anew.
   */
  readonly resume?:
    | ((data: Data, transcript: EpisodeTranscript, context: AgentContext) => AgentReward | Promise<AgentReward>)
    | undefined;
}

/** The proxy that an episode uses. `connectProxy` creates one. */
export interface RolloutEngine {
  /** Address of the proxy, without `/v1`. */
  readonly url: string;
  readonly adminKey: string;
  /** Connections that all episodes share. */
  readonly connections: ConnectionPool;
  /** Gets a span for each episode. Default: no spans. */
  readonly telemetry?: Telemetry | undefined;
}

/**
 * - `interactions`: the episode exports its session and returns the interactions.
 * - `deferred`: the session ends but keeps its data, for one `/export_batch` over many sessions. The caller must export
 *   or delete it.
 */
export type EpisodeExport = "interactions" | "deferred";

export interface EpisodeOptions {
  /** Aborts the episode, which is then rejected with `episode_aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Prefix of the session id: 1 to 128 characters of A-Z a-z 0-9 . _ : - Default `task`. */
  readonly taskId?: string | undefined;
  /** Group of the session. */
  readonly groupId?: string | undefined;
  /** Lease of the rollout job that runs the episode. Its sessions can be found by it. */
  readonly leaseId?: string | undefined;
  /** Default: `interactions`. */
  readonly export?: EpisodeExport | undefined;
  /**
   * `delete` (default) deletes the session of a rejected episode. `keep` ends it. The caller can then read what it recorded, and must
   * delete it.
   */
  readonly rejectedSessions?: "delete" | "keep" | undefined;
  /**
   * Is called if the episode fails. If it returns a reward and the session has a model call, the session gets this reward, and the
   * episode is accepted.
   */
  readonly failureReward?: ((reason: Rejection) => number | undefined) | undefined;
  /**
   * Is called with the id of each session that the episode starts, before the agent runs. If it rejects, the agent does not run. A
   * controller learns in this way which sessions to delete if the process dies.
   *
   * @param leaseId lease with which the session was started, by which the proxy finds it; undefined if it has none
   */
  readonly onSession?: ((sessionId: string, leaseId?: string) => Promise<void>) | undefined;
  /** Sessions of earlier runs of the task that were cut. An agent with `resume` goes on with one of them. */
  readonly cutSessions?: CutSessions | undefined;
  /**
   * Called if the agent's process or proxy crashed and the agent can go on. If it returns true, the session stays active and is added
   * to {@link cutSessions}, and the caller runs the task again.
   */
  readonly keepsCut?: ((reason: Rejection) => boolean) | undefined;
}

/** An episode that gives a trajectory. */
export interface AcceptedEpisode {
  readonly sessionId: string;
  /** Address of the proxy that holds the session. */
  readonly url: string;
  readonly groupId?: string | undefined;
  /** Number of recorded model calls, at least one. */
  readonly interactionCount: number;
  /**
   * The agent's rewards before the discount, by interaction id. For a number with reward scope `session`, by session
   * id.
   */
  readonly rewards: ReadonlyMap<string, number>;
  /** The interactions with discounted rewards and tensors. Undefined if the export was deferred. */
  readonly interactions?: Interactions | undefined;
}

/** An episode that gives no trajectory. Its session is ended, and freed unless the caller keeps it. */
export interface RejectedEpisode {
  /** Undefined if no session was started. */
  readonly sessionId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly reason: Rejection;
}

/** The result of one task: one episode, or the episodes of a group in the order of its members. */
export interface EpisodeResult {
  readonly accepted: readonly AcceptedEpisode[];
  readonly rejected: readonly RejectedEpisode[];
}

/**
 * Runs the episodes of one task. A failed episode is listed as rejected in the result. `arunEpisode` throws only if the
 * workflow itself fails.
 */
export interface RolloutWorkflow<Data = unknown> {
  /** True if its agent can go on with an episode that was cut. Default false. */
  readonly canResume?: boolean | undefined;
  arunEpisode(engine: RolloutEngine, data: Data, options?: EpisodeOptions): Promise<EpisodeResult>;
}

/** The scope of a reward that an agent returns as a number. */
export type RewardScope = "interaction" | "session";

/** How a proxy workflow rewards and exports its episodes. */
export interface EpisodeExportOptions {
  /** Share of a turn's reward that its parent turn receives, in [0, 1]. Default 1. */
  readonly discount?: number | undefined;
  /** Default: `individual`. */
  readonly style?: ExportStyle | undefined;
  /**
   * Reward of a row of style `concat`: the reward of its last turn (`leaf`, default), or the discounted sum of the own
   * rewards of its turns (`return`).
   */
  readonly concatReward?: "leaf" | "return" | undefined;
  /**
   * In style `concat`, if a child does not continue its parent's tokens: reject the episode (`error`, default), or
   * start a new row (`split`).
   */
  readonly onMismatch?: "error" | "split" | undefined;
  /** Choose the interactions that the export trains on. Default: all. */
  readonly filters?: ExportFilters | undefined;
  /** Adds the messages to the interactions. Default false, because each then has the whole conversation. */
  readonly includeMessages?: boolean | undefined;
  /**
   * The scope of a number that the agent returns: the last completed call (`interaction`, default) or the whole session
   * (`session`). A mapping always rewards its calls.
   */
  readonly rewardScope?: RewardScope | undefined;
}
