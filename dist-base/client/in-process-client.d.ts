import { type ClientOptions, OpenAI } from "openai";
import { AdminClient } from "./admin-client.js";
import { type EngineOptions, type InProcessProxy } from "./in-process-proxy.js";
import type { ExportStyle } from "./interaction.js";
import type { Interactions } from "./interactions.js";
import { type ExportInteractionsOptions, SessionClient } from "./session-client.js";
export type { EngineOptions, InProcessProxy } from "./in-process-proxy.js";
interface SessionOptions {
    readonly taskId?: string | undefined;
    readonly groupId?: string | undefined;
}
/** An engine and its tokenizer, or a proxy that `createServer` made of them. */
export type InProcessOptions = SessionOptions & (EngineOptions | InProcessProxy);
interface InProcessClientOptions extends ClientOptions {
    readonly session: SessionClient;
    readonly trainer: AdminClient;
}
/**
 * OpenAI's client bound to a session of its own, for old code that expects such a client. It reaches the proxy in this
 * process without a socket. `chat.completions.create`, `responses.create` and everything else is OpenAI's.
 *
 * Use {@link SessionClient} and an agent's `run` for new code.
 */
export declare class InProcessClient extends OpenAI implements AsyncDisposable {
    #private;
    readonly session: SessionClient;
    /** The trainer's calls to the proxy in this process, such as `updateWeights`. */
    readonly trainer: AdminClient;
    constructor(options: InProcessClientOptions);
    /** Creates a client with a session of its own. */
    static open({ taskId, groupId, ...options }: InProcessOptions): Promise<InProcessClient>;
    setReward(interactionId: string, reward: number): Promise<void>;
    /** Rewards the last completed call and returns its interaction id. */
    setLastReward(reward: number): Promise<string>;
    /** Rewards the session as a whole, in addition to the rewards of its calls. */
    setSessionReward(reward: number): Promise<void>;
    /**
     * Sets the discount of later exports, which propagate rewards backwards through the conversation tree. Own rewards do not
     * change, so a later call can set another discount. Without a call, interactions are exported with their own rewards.
     *
     * @param turnDiscount share of a turn's reward that its parent turn receives, in [0, 1]
     */
    applyRewardDiscount(turnDiscount?: number): void;
    /** Ends the session and returns what it recorded. The session accepts no calls or rewards afterwards. */
    exportInteractions(style?: ExportStyle, options?: ExportInteractionsOptions): Promise<Interactions>;
    /** Ends the session; it can still be exported. */
    [Symbol.asyncDispose](): Promise<void>;
}
