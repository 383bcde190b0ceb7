import type { AdminClient, StartedSession, StartSessionOptions } from "./admin-client.js";
import { type ExportFilters } from "./export-filters.js";
import type { ExportStyle } from "./interaction.js";
import type { Interactions } from "./interactions.js";
import { type CallOptions } from "./proxy-calls.js";
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
export declare class SessionClient implements AsyncDisposable {
    #private;
    readonly sessionId: string;
    /** The `api_key` of the agent. */
    readonly sessionApiKey: string;
    /** Address for model calls that bypass the gateway: see {@link StartedSession.baseUrl}. */
    readonly baseUrl: string | undefined;
    constructor(admin: AdminClient, { sessionId, sessionApiKey, baseUrl }: StartedSession);
    /** Starts a session, which takes a slot of the granted capacity. */
    static start(admin: AdminClient, options?: StartSessionOptions): Promise<SessionClient>;
    /** Rewards the last completed call and returns its interaction id. */
    setLastReward(reward: number, options?: CallOptions): Promise<string>;
    setReward(interactionId: string, reward: number, options?: CallOptions): Promise<void>;
    /** Rewards the session as a whole, in addition to the rewards of its calls. A later value replaces an earlier one. */
    setSessionReward(reward: number, options?: CallOptions): Promise<void>;
    /**
     * Ends the session: it accepts no more model calls. Returns how many it had recorded by then, the same number every time.
     */
    end(options?: CallOptions): Promise<number>;
    /** Returns what the session recorded. The session must have ended. */
    exportInteractions(discount?: number, style?: ExportStyle, { concatReward, onMismatch, filters, includeMessages, ...options }?: ExportInteractionsOptions): Promise<Interactions>;
    /** Aborts the session's calls, revokes its key and frees its data. Returns false if it no longer exists. */
    delete(options?: CallOptions): Promise<boolean>;
    [Symbol.asyncDispose](): Promise<void>;
}
