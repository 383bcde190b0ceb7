import type { AdminClient, TakenSession } from "../client/admin-client.js";
import type { ConnectionPool } from "../client/connection-pool.js";
import { ProxyError } from "../client/errors.js";
import { SessionClient } from "../client/session-client.js";
import { untilAborted } from "../support/async/until-aborted.js";
import type { TraceHeaders } from "../telemetry/trace-headers.js";
import { type EpisodeTranscript, toEpisodeTranscript } from "../transcript/episode-transcript.js";
import { readClassName } from "./class-name.js";
import type { AcceptedEpisode, Agent, EpisodeExportOptions, EpisodeOptions } from "./contract.js";
import { describe } from "./describe.js";
import { isProxyAbsent } from "./proxy-loss.js";
import { Rejection, type RejectionCode } from "./rejection.js";
import { SubprocError } from "./subproc/errors.js";

export interface EpisodeSettings extends EpisodeExportOptions, Omit<EpisodeOptions, "signal"> {
  readonly admin: AdminClient;
  /** Address of the proxy. The agent receives it, or the address of the session's worker. */
  readonly url: string;
  readonly connections: ConnectionPool;
  /** Signal of the episode. Aborts with the caller's signal, or when the episode exceeds its time. */
  readonly signal: AbortSignal;
  /** Headers of the trace of the episode. Default: it has none. */
  readonly traceHeaders?: TraceHeaders | undefined;
}

interface OpenSession {
  readonly session: SessionClient;
  /** The recorded calls of an earlier run of the agent; undefined if the session is new. */
  readonly transcript: EpisodeTranscript | undefined;
}

/** One run of an agent: its session, rewards and export. */
export class Episode {
  readonly #settings: EpisodeSettings;
  #session: SessionClient | undefined;

  constructor(settings: EpisodeSettings) {
    this.#settings = settings;
  }

  /** Undefined until the session is started. */
  get sessionId(): string | undefined {
    return this.#session?.sessionId;
  }

  /**
   * Grants capacity, starts the session, runs the agent, sets its rewards, ends the session and exports it. If the agent can go on with
   * a session that was cut, takes it over instead of starting one.
   *
   * @throws Rejection if the episode gives no trajectory. The caller must then {@link discard} it.
   */
  async run<Data>(agent: Agent<Data>, data: Data): Promise<AcceptedEpisode> {
    const { signal, groupId, url, rewardScope, traceHeaders } = this.#settings;
    const step = async <T>(code: RejectionCode, work: () => Promise<T>): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        throw signal.aborted ? toAbortRejection(signal.reason) : toRejection(code, error);
      }
    };
    const { session, transcript } = await step("start_failed", () => this.#open(agent));
    const returned = await step("agent_error", () => this.#runAgent(agent, data, session, transcript));
    const reward = readReward(returned);
    const rewards = await step("export_failed", () =>
      setRewards(session, reward, { rewardScope, signal, traceHeaders }),
    );
    const interactionCount = await step("export_failed", () => session.end({ signal, traceHeaders }));
    if (interactionCount === 0) throw new Rejection("no_model_calls", "The agent completed no model call.");
    const accepted = { sessionId: session.sessionId, url, groupId, interactionCount, rewards };
    return step("export_failed", () => this.#finish(session, accepted, signal));
  }

  /**
   * Gives the session of a failed episode a reward, and ends it. Returns undefined if it has no model call, or if that fails.
   *
   * The calls ignore the signal of the episode, which may have aborted because of its time limit.
   */
  async rescue(reward: number): Promise<AcceptedEpisode | undefined> {
    const { groupId, url, rewardScope } = this.#settings;
    const session = this.#session;
    if (!session) return undefined;
    try {
      const rewards = await setRewards(session, { number: reward }, { rewardScope });
      const interactionCount = await session.end();
      if (interactionCount === 0) return undefined;
      return await this.#finish(session, { sessionId: session.sessionId, url, groupId, interactionCount, rewards });
    } catch {
      return undefined;
    }
  }

  /** Ends the session, and frees its data unless the caller keeps it. In any state. */
  async discard(): Promise<void> {
    if (this.#settings.rejectedSessions === "keep") {
      await this.#session?.end().catch(() => {});
      return;
    }
    // If the proxy does not answer, the session is freed when it expires. One that was taken over is not deleted.
    await this.#session?.delete({ leaseId: this.#settings.leaseId }).catch(() => {});
  }

  /** Exports the ended session, unless the export is deferred. */
  async #finish(session: SessionClient, accepted: AcceptedEpisode, signal?: AbortSignal): Promise<AcceptedEpisode> {
    if (this.#settings.export === "deferred") return accepted;
    const {
      discount,
      style,
      concatReward,
      onMismatch,
      filters,
      includeMessages = false,
      traceHeaders,
    } = this.#settings;
    const options = { concatReward, onMismatch, filters, includeMessages, signal, traceHeaders };
    return { ...accepted, interactions: await session.exportInteractions(discount, style, options) };
  }

  async #open<Data>(agent: Agent<Data>): Promise<OpenSession> {
    const open = agent.resume && (await this.#takeOver());
    return open ?? { session: await this.#start(), transcript: undefined };
  }

  /** Takes over a session that was cut and has an answered call; undefined if there is none. Deletes those without one. */
  async #takeOver(): Promise<OpenSession | undefined> {
    const { admin, leaseId, signal, onSession, cutSessions } = this.#settings;
    for (let cut = await cutSessions?.take(admin); cut; cut = await cutSessions?.take(admin)) {
      signal.throwIfAborted();
      let taken: TakenSession;
      try {
        taken = await admin.takeOverSession(cut.sessionId, { fromLeaseId: cut.leaseId, leaseId });
      } catch (error) {
        if (error instanceof ProxyError && !isProxyAbsent(error)) continue;
        cutSessions?.add(cut);
        throw error;
      }
      const session = new SessionClient(admin, taken);
      const transcript = toEpisodeTranscript(taken.transcript);
      if (transcript.turns.length === 0) await session.delete({ leaseId });
      else {
        this.#session = session;
        await onSession?.(session.sessionId, leaseId);
        return { session, transcript };
      }
    }
    return undefined;
  }

  /** The calls are not aborted: a session whose response nobody reads would exist until it expires. */
  async #start(): Promise<SessionClient> {
    const { admin, taskId, groupId, leaseId, signal, onSession, traceHeaders } = this.#settings;
    signal.throwIfAborted();
    await admin.grantCapacity();
    this.#session = await SessionClient.start(admin, { taskId, groupId, leaseId, traceHeaders });
    await onSession?.(this.#session.sessionId, leaseId);
    return this.#session;
  }

  async #runAgent<Data>(
    agent: Agent<Data>,
    data: Data,
    session: SessionClient,
    transcript: EpisodeTranscript | undefined,
  ): Promise<unknown> {
    const { url, connections, signal, taskId: task_id, groupId: group_id } = this.#settings;
    signal.throwIfAborted();
    const http_client = createEpisodeFetch(connections.fetch, signal);
    const address = { base_url: session.baseUrl ?? url, api_key: session.sessionApiKey };
    const context = { ...address, http_client, signal, task_id, group_id };
    const running = async () => (transcript ? agent.resume?.(data, transcript, context) : agent.run(data, context));
    return untilAborted(running().catch(rethrow), signal);
  }
}

/** Pools of processes have the time limit of their agents, because the time that an episode waits for a process does not count. */
function rethrow(error: unknown): never {
  const isTimeout = error instanceof SubprocError && error.code === "agent_timeout";
  throw isTimeout ? Rejection.from("episode_timeout", error) : error;
}

/**
 * Sets every reward. Returns the rewards by interaction id, or by session id for a reward of the session.
 *
 * @throws ProxyError the first refusal, in the order of the agent's rewards
 */
async function setRewards(
  session: SessionClient,
  reward: ReturnedReward,
  { rewardScope, ...call }: Partial<Pick<EpisodeSettings, "rewardScope" | "signal" | "traceHeaders">>,
): Promise<ReadonlyMap<string, number>> {
  if ("number" in reward) {
    if (rewardScope !== "session") {
      return new Map([[await session.setLastReward(reward.number, call), reward.number]]);
    }
    await session.setSessionReward(reward.number, call);
    return new Map([[session.sessionId, reward.number]]);
  }
  const outcomes = await Promise.allSettled([...reward.byId].map(([id, value]) => session.setReward(id, value, call)));
  const refused = outcomes.find((outcome) => outcome.status === "rejected");
  if (refused) throw refused.reason;
  return reward.byId;
}

const CODE_OF_REFUSAL: ReadonlyMap<string, RejectionCode> = new Map([
  ["no_interactions", "no_model_calls"],
  ["interaction_not_found", "unknown_interaction"],
]);

function toRejection(code: RejectionCode, error: unknown): Rejection {
  if (code === "agent_error" && readClassName(error) === REFUSAL) return Rejection.from("agent_refused", error);
  const refusal = error instanceof ProxyError && code !== "agent_error" ? CODE_OF_REFUSAL.get(error.code) : undefined;
  return Rejection.from(refusal ?? code, error);
}

/** Errors of agents in other processes have only the name of their class. */
const REFUSAL = "AgentRefusal";

export function toAbortRejection(reason: unknown): Rejection {
  return reason instanceof Rejection
    ? reason
    : new Rejection("episode_aborted", "The episode was aborted by its caller.", { cause: reason });
}

/** Returns a `fetch` whose requests are aborted by the episode's signal, and by their own signals. */
export function createEpisodeFetch(send: typeof fetch, signal: AbortSignal): typeof fetch {
  return (input, init) => {
    const own = init?.signal ?? (input instanceof Request ? input.signal : undefined);
    return send(input, { ...init, signal: own ? AbortSignal.any([own, signal]) : signal });
  };
}

/** The reward that an agent returned: one number, or one reward per interaction id. */
type ReturnedReward = { readonly number: number } | { readonly byId: ReadonlyMap<string, number> };

/** The greatest finite float32. Rewards are exported as float32. */
const MAX_REWARD = 3.4028234663852886e38;

/**
 * Validates an agent's return value.
 *
 * @throws Rejection `invalid_reward` if it is not a reward
 */
function readReward(value: unknown): ReturnedReward {
  if (typeof value === "number") return { number: readFinite(value, "") };
  const entries = readEntries(value);
  if (!entries) throw invalid(describe(value));
  return { byId: new Map(entries.map(([id, reward]) => [readId(id), readFinite(reward, ` for ${describe(id)}`)])) };
}

function readEntries(value: unknown): [unknown, unknown][] | undefined {
  if (value instanceof Map) return [...value];
  return isPlainObject(value) ? Object.entries(value) : undefined;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // An object from another realm (a vm, a worker) has a plain prototype of its own.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function readId(id: unknown): string {
  if (typeof id !== "string") throw invalid(`a Map with ${describe(id)} as a key`);
  return id;
}

function readFinite(value: unknown, place: string): number {
  if (typeof value !== "number" || !(Math.abs(value) <= MAX_REWARD)) throw invalid(describe(value) + place);
  return value;
}

function invalid(received: string): Rejection {
  const expected = "a finite number, or a plain object or Map of completion ids to finite numbers";
  return new Rejection("invalid_reward", `The agent must return ${expected}; received ${received}.`);
}
