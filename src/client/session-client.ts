import { z } from "zod";
import type { AdminClient, StartedRun, StartedSession, StartSessionOptions } from "./admin-client.js";
import { ProxyError } from "./errors.js";
import { type ExportFilters, toFilterFields } from "./export-filters.js";
import type { ExportStyle } from "./interaction.js";
import type { Interactions } from "./interactions.js";
import { type CallOptions, type ProxyCall, ProxyCalls } from "./proxy-calls.js";

const rewardReply = z.object({ interaction_id: z.string() });
// An older proxy ignores the scope, rewards the last call and answers without a scope.
const sessionRewardReply = z.object({ scope: z.literal("session") });
const currentReply = z.object({ session_id: z.string() });
const endReply = z.object({ interaction_count: z.int() });

export interface ExportInteractionsOptions extends CallOptions {
  /** Reward of a `concat` row, as `concat_reward` of docs/reference/http-api.md. Default `leaf`. */
  readonly concatReward?: "leaf" | "return" | undefined;
  /** As `on_mismatch` of docs/reference/http-api.md, for a child that does not continue its parent's tokens. Default `error`. */
  readonly onMismatch?: "error" | "split" | undefined;
  readonly filters?: ExportFilters | undefined;
  /** Include messages. Each interaction has the messages of its whole conversation so far. Default true. */
  readonly includeMessages?: boolean | undefined;
}

/**
 * One session of a proxy, from its start to its export. Leaving its scope (`await using`) ends the session; its data
 * stays until it is exported or deleted.
 */
export class SessionClient implements AsyncDisposable {
  readonly sessionId: string;
  /** The `api_key` of the agent. */
  readonly sessionApiKey: string;
  /** Address for model calls that bypass the gateway: see {@link StartedSession.baseUrl}. */
  readonly baseUrl: string | undefined;
  /** If the session is one of a run: the `X-Session-ID` that model calls must send with the key. */
  readonly xSessionId: string | undefined;
  readonly #admin: AdminClient;
  readonly #calls: ProxyCalls;
  #ended: Promise<number> | undefined;

  constructor(admin: AdminClient, { sessionId, sessionApiKey, baseUrl }: StartedSession, xSessionId?: string) {
    this.sessionId = sessionId;
    this.sessionApiKey = sessionApiKey;
    this.baseUrl = baseUrl;
    this.#admin = admin;
    this.xSessionId = xSessionId;
    this.#calls = new ProxyCalls(admin.transport, sessionApiKey, xSessionId);
  }

  /** Starts a session, which takes a slot of the granted capacity. */
  static async start(admin: AdminClient, options: StartSessionOptions = {}): Promise<SessionClient> {
    return new SessionClient(admin, await admin.startSession(options));
  }

  /** Returns the session that `X-Session-ID` names in a run. Starts it if there is none yet, as a model call does. */
  static async ofRun(
    admin: AdminClient,
    { runApiKey }: StartedRun,
    xSessionId: string,
    options: CallOptions = {},
  ): Promise<SessionClient> {
    const calls = new ProxyCalls(admin.transport, runApiKey, xSessionId);
    const call = { path: "/rl/current_session", idempotent: true, ...options };
    const { session_id: sessionId } = await calls.json(call, currentReply);
    return new SessionClient(admin, { sessionId, sessionApiKey: runApiKey, baseUrl: undefined }, xSessionId);
  }

  /** Rewards the last completed call and returns its interaction id. */
  setLastReward(reward: number, options: CallOptions = {}): Promise<string> {
    return this.#reward({ reward }, options);
  }

  async setReward(interactionId: string, reward: number, options: CallOptions = {}): Promise<void> {
    await this.#reward({ reward, interaction_id: interactionId }, options);
  }

  /** Rewards the session as a whole, in addition to the rewards of its calls. A later value replaces an earlier one. */
  async setSessionReward(reward: number, options: CallOptions = {}): Promise<void> {
    await this.#calls.json(rewardCall({ reward, scope: "session" }, options), sessionRewardReply);
  }

  /**
   * Ends the session: it accepts no more model calls. Returns how many it had recorded by then, the same number every time.
   */
  end(options: CallOptions = {}): Promise<number> {
    this.#ended ??= this.#end(options).catch((error: unknown) => {
      this.#ended = undefined;
      throw error;
    });
    return this.#ended;
  }

  /** Returns what the session recorded. The session must have ended. */
  exportInteractions(
    discount = 1,
    style: ExportStyle = "individual",
    { concatReward, onMismatch, filters = {}, includeMessages = true, ...options }: ExportInteractionsOptions = {},
  ): Promise<Interactions> {
    const include = includeMessages ? (["messages"] as const) : [];
    const rows = { style, concat_reward: concatReward, on_mismatch: onMismatch, ...toFilterFields(filters) };
    const fields = { discount, ...rows, include };
    return this.#admin.exportTrajectories(this.sessionId, fields, options);
  }

  /**
   * Aborts the session's calls, revokes its key and frees its data. Returns false if it no longer exists, or does not have the lease of
   * the options.
   */
  delete(options: CallOptions & { readonly leaseId?: string | undefined } = {}): Promise<boolean> {
    return this.#admin.deleteSession(this.sessionId, options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      await this.end();
    } catch (error) {
      // The session was exported, deleted or expired, so it has ended already.
      if (!(error instanceof ProxyError && error.code === "invalid_api_key")) throw error;
    }
  }

  async #reward(body: object, options: CallOptions): Promise<string> {
    return (await this.#calls.json(rewardCall(body, options), rewardReply)).interaction_id;
  }

  async #end(options: CallOptions): Promise<number> {
    const call = { path: "/rl/end_session", idempotent: true, ...options };
    return (await this.#calls.json(call, endReply)).interaction_count;
  }
}

function rewardCall(body: object, options: CallOptions): ProxyCall {
  return { path: "/rl/set_reward", body, idempotent: true, ...options };
}
