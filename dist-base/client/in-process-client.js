import { OpenAI } from "openai";
import { AdminClient } from "./admin-client.js";
import { ConnectionPool } from "./connection-pool.js";
import { inProcessConnector } from "./in-process-connector.js";
import { inProcessProxy } from "./in-process-proxy.js";
import { SessionClient } from "./session-client.js";
import { HttpTransport } from "./transport.js";
/** The host has no meaning: all connections lead to the same server. */
const URL_IN_PROCESS = "http://in-process";
/**
 * OpenAI's client bound to a session of its own, for old code that expects such a client. It reaches the proxy in this
 * process without a socket. `chat.completions.create`, `responses.create` and everything else is OpenAI's.
 *
 * Use {@link SessionClient} and an agent's `run` for new code.
 */
export class InProcessClient extends OpenAI {
    session;
    /** The trainer's calls to the proxy in this process, such as `updateWeights`. */
    trainer;
    #turnDiscount = 0;
    constructor(options) {
        super(options);
        this.session = options.session;
        this.trainer = options.trainer;
    }
    /** Creates a client with a session of its own. */
    static async open({ taskId, groupId, ...options }) {
        const { app, adminKey } = "engine" in options ? await inProcessProxy(options) : options;
        const connections = new ConnectionPool(inProcessConnector(app.server));
        const admin = new AdminClient(new HttpTransport(URL_IN_PROCESS, connections), adminKey);
        await admin.grantCapacity();
        const session = await SessionClient.start(admin, { taskId, groupId });
        return new InProcessClient({
            session,
            trainer: admin,
            apiKey: session.sessionApiKey,
            baseURL: `${URL_IN_PROCESS}/v1`,
            fetch: connections.fetch,
            maxRetries: 0,
        });
    }
    setReward(interactionId, reward) {
        return this.session.setReward(interactionId, reward);
    }
    /** Rewards the last completed call and returns its interaction id. */
    setLastReward(reward) {
        return this.session.setLastReward(reward);
    }
    /** Rewards the session as a whole, in addition to the rewards of its calls. */
    setSessionReward(reward) {
        return this.session.setSessionReward(reward);
    }
    /**
     * Sets the discount of later exports, which propagate rewards backwards through the conversation tree. Own rewards do not
     * change, so a later call can set another discount. Without a call, interactions are exported with their own rewards.
     *
     * @param turnDiscount share of a turn's reward that its parent turn receives, in [0, 1]
     */
    applyRewardDiscount(turnDiscount = 1) {
        if (!(turnDiscount >= 0 && turnDiscount <= 1)) {
            throw new RangeError(`turnDiscount must be a number from 0 to 1; received ${turnDiscount}`);
        }
        this.#turnDiscount = turnDiscount;
    }
    /** Ends the session and returns what it recorded. The session accepts no calls or rewards afterwards. */
    async exportInteractions(style = "individual", options = {}) {
        await this[Symbol.asyncDispose]();
        return this.session.exportInteractions(this.#turnDiscount, style, options);
    }
    /** Ends the session; it can still be exported. */
    [Symbol.asyncDispose]() {
        return this.session[Symbol.asyncDispose]();
    }
}
//# sourceMappingURL=in-process-client.js.map