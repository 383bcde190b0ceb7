import type { ConnectionPool } from "../client/connection-pool.js";
import type { ExportStyle } from "../client/interaction.js";
import type { Interactions } from "../client/interactions.js";
import type { Rejection } from "./rejection.js";

/**
 * What an agent's model calls need, for OpenAI's and Anthropic's SDKs alike:
 * `new OpenAI({ baseURL: base_url, apiKey: api_key, fetch: http_client, maxRetries: 0 })`. Retries must be off: a call
 * that is sent again generates again.
 */
export interface AgentContext {
  /** Address of the proxy, without `/v1`. */
  readonly base_url: string;
  /** The session key. */
  readonly api_key: string;
  /**
   * The `fetch` option of the SDKs. All episodes share its connection pool; what it sends is aborted when the episode is
   * over.
   */
  readonly http_client: typeof fetch;
  /** Aborts when the episode is: its caller gave it up, or its time is over. */
  readonly signal: AbortSignal;
}

/** A number rewards the last completed call, or the session ({@link RewardScope}); a mapping of completion ids each of its calls. */
export type AgentReward = number | Readonly<Record<string, number>> | ReadonlyMap<string, number>;

/** A program that calls a language model. It knows nothing of training but the reward that it returns. */
export interface Agent<Data = unknown> {
  run(data: Data, context: AgentContext): AgentReward | Promise<AgentReward>;
}

/** The proxy that an episode runs against. `connectProxy` makes one. */
export interface RolloutEngine {
  /** Address of the proxy, without `/v1`. */
  readonly url: string;
  readonly adminKey: string;
  /** Connections that all episodes share. */
  readonly connections: ConnectionPool;
}

/**
 * `interactions`: the episode exports its session and answers what is in it. `deferred`: the session is ended and keeps
 * its data, for one `/export_batch` over many sessions. Who asks for it exports or deletes the session.
 */
export type EpisodeExport = "interactions" | "deferred";

export interface EpisodeOptions {
  /** Gives the episode up: it is rejected with `episode_aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Session ids begin with it; default `task`. 1 to 128 characters of A-Z a-z 0-9 . _ : - */
  readonly taskId?: string | undefined;
  /** The group that the session belongs to. */
  readonly groupId?: string | undefined;
  /** Default: `interactions`. */
  readonly export?: EpisodeExport | undefined;
}

/** An episode whose trajectory may go to the trainer. */
export interface AcceptedEpisode {
  readonly sessionId: string;
  /** Address of the proxy that holds the session. */
  readonly url: string;
  readonly groupId?: string | undefined;
  /** Model calls recorded, at least one. */
  readonly interactionCount: number;
  /**
   * What the agent gave, before any discount, by the id of what it rewards: interactions, or for a number with reward scope
   * `session` the session.
   */
  readonly rewards: ReadonlyMap<string, number>;
  /** With discounted rewards and tensors; undefined where the export was deferred. */
  readonly interactions?: Interactions | undefined;
}

/** An episode that gives no trajectory; its session is ended and freed. */
export interface RejectedEpisode {
  /** Undefined where no session was started. */
  readonly sessionId?: string | undefined;
  readonly groupId?: string | undefined;
  readonly reason: Rejection;
}

/** What came of one task: one episode, or the episodes of a group in the order of its members. */
export interface EpisodeResult {
  readonly accepted: readonly AcceptedEpisode[];
  readonly rejected: readonly RejectedEpisode[];
}

/**
 * Runs the episodes of one task. An episode that fails is a rejected one in the result; what is thrown is a fault of the
 * workflow itself.
 */
export interface RolloutWorkflow<Data = unknown> {
  arunEpisode(engine: RolloutEngine, data: Data, options?: EpisodeOptions): Promise<EpisodeResult>;
}

/** What an agent's number rewards. */
export type RewardScope = "interaction" | "session";

/** How a proxy workflow rewards and exports its episodes. */
export interface EpisodeExportOptions {
  /** Share of a turn's reward that its parent turn receives, in [0, 1]. Default 1. */
  readonly discount?: number | undefined;
  /** Default: `individual`. */
  readonly style?: ExportStyle | undefined;
  /**
   * Reward of a row of style `concat`: that of its last turn (`leaf`, default), or the discounted sum of the own rewards of
   * its turns (`return`).
   */
  readonly concatReward?: "leaf" | "return" | undefined;
  /**
   * Where a child does not continue its parent's tokens in style `concat`: reject the episode (`error`, default), or start a
   * new row there (`split`).
   */
  readonly onMismatch?: "error" | "split" | undefined;
  /** Whether interactions have their messages. Default false: they are as long as their conversation each. */
  readonly includeMessages?: boolean | undefined;
  /**
   * What a number that the agent returns rewards: the last completed call (`interaction`, default), or the session as a
   * whole. A mapping always rewards its calls.
   */
  readonly rewardScope?: RewardScope | undefined;
}
