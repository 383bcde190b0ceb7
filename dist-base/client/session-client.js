import { z } from "zod";
import { ProxyError } from "./errors.js";
import { toFilterFields } from "./export-filters.js";
import { ProxyCalls } from "./proxy-calls.js";
const rewardReply = z.object({ interaction_id: z.string() });
// An older proxy ignores the scope, rewards the last call and answers without a scope.
const sessionRewardReply = z.object({ scope: z.literal("session") });
const endReply = z.object({ interaction_count: z.int() });
/**
 * One session of a proxy, from its start to its export. Leaving its scope (`await using`) ends the session; its data
 * stays until it is exported or deleted.
 */
export class SessionClient {
    sessionId;
    /** The `api_key` of the agent. */
    sessionApiKey;
    /** Address for model calls that bypass the gateway: see {@link StartedSession.baseUrl}. */
    baseUrl;
    #admin;
    #calls;
    #ended;
    constructor(admin, { sessionId, sessionApiKey, baseUrl }) {
        this.sessionId = sessionId;
        this.sessionApiKey = sessionApiKey;
        this.baseUrl = baseUrl;
        this.#admin = admin;
        this.#calls = new ProxyCalls(admin.transport, sessionApiKey);
    }
    /** Starts a session, which takes a slot of the granted capacity. */
    static async start(admin, options = {}) {
        return new SessionClient(admin, await admin.startSession(options));
    }
    /** Rewards the last completed call and returns its interaction id. */
    setLastReward(reward, options = {}) {
        return this.#reward({ reward }, options);
    }
    async setReward(interactionId, reward, options = {}) {
        await this.#reward({ reward, interaction_id: interactionId }, options);
    }
    /** Rewards the session as a whole, in addition to the rewards of its calls. A later value replaces an earlier one. */
    async setSessionReward(reward, options = {}) {
        await this.#calls.json(rewardCall({ reward, scope: "session" }, options), sessionRewardReply);
    }
    /**
     * Ends the session: it accepts no more model calls. Returns how many it had recorded by then, the same number every time.
     */
    end(options = {}) {
        this.#ended ??= this.#end(options).catch((error) => {
            this.#ended = undefined;
            throw error;
        });
        return this.#ended;
    }
    /** Returns what the session recorded. The session must have ended. */
    exportInteractions(discount = 1, style = "individual", { concatReward, onMismatch, filters = {}, includeMessages = true, ...options } = {}) {
        const include = includeMessages ? ["messages"] : [];
        const rows = { style, concat_reward: concatReward, on_mismatch: onMismatch, ...toFilterFields(filters) };
        const fields = { discount, ...rows, include };
        return this.#admin.exportTrajectories(this.sessionId, fields, options);
    }
    /** Aborts the session's calls, revokes its key and frees its data. Returns false if it no longer exists. */
    delete(options = {}) {
        return this.#admin.deleteSession(this.sessionId, options);
    }
    async [Symbol.asyncDispose]() {
        try {
            await this.end();
        }
        catch (error) {
            // The session was exported, deleted or expired, so it has ended already.
            if (!(error instanceof ProxyError && error.code === "invalid_api_key"))
                throw error;
        }
    }
    async #reward(body, options) {
        return (await this.#calls.json(rewardCall(body, options), rewardReply)).interaction_id;
    }
    async #end(options) {
        const call = { path: "/rl/end_session", idempotent: true, ...options };
        return (await this.#calls.json(call, endReply)).interaction_count;
    }
}
function rewardCall(body, options) {
    return { path: "/rl/set_reward", body, idempotent: true, ...options };
}
//# sourceMappingURL=session-client.js.map