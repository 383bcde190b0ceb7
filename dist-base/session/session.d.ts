import type { Conversation, Message } from "../conversation/message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import type { NativePrompt, NativeSession, ParentMatch } from "../native/contract.js";
import { type Steps } from "../support/async/steps.js";
import { CallsInFlight } from "./calls-in-flight.js";
import type { CompletedCall, PreparedMessages } from "./completed-call.js";
import { Delivery, type LeftOutInteraction, type LeftOutReason } from "./delivery.js";
import { type Interaction } from "./interaction.js";
import { Lifecycle, type SessionState } from "./lifecycle.js";
import type { SessionEvents, SessionOutcome } from "./session-events.js";
import { type ByteTally, type PromptGrowth } from "./session-size.js";
import type { SessionSummary } from "./session-summary.js";
import type { SessionJournal } from "./stored/journal.js";
import type { StoredSession } from "./stored/stored-session.js";
import { ToolLists } from "./tool-lists.js";
export interface SessionOptions {
    readonly id: string;
    readonly taskId: string;
    readonly groupId?: string | undefined;
    /** Lease of the rollout job that started the session. */
    readonly leaseId?: string | undefined;
    /** Text that matches is ignored when searching for a parent interaction. */
    readonly messageFilters?: readonly MessageFilter[];
    /** Receives an event when the session is over and when a reward is set. */
    readonly events?: SessionEvents;
    /** Sum of the memory of all sessions, which this session updates. */
    readonly tally?: ByteTally;
    /** The tools of all sessions, which this session shares. Default: its own. */
    readonly toolLists?: ToolLists;
    /** Receives the changes that must survive the process. */
    readonly journal?: SessionJournal | undefined;
    /** The key of the session's digests, 16 bytes. Default: the key of this process. */
    readonly digestKey?: Uint8Array | undefined;
    /** The summary of a stored session, whose data {@link Session.load} reads. Default: a new session. */
    readonly summary?: SessionSummary | undefined;
}
/**
 * Records one episode: its model calls as conversation trees, and their rewards. The state of its lifecycle decides which
 * calls are allowed.
 */
export declare class Session {
    #private;
    readonly id: string;
    readonly taskId: string;
    readonly groupId: string | undefined;
    readonly leaseId: string | undefined;
    readonly createdAt: number;
    readonly lifecycle: Lifecycle;
    /** Calls that exports aborted because they did not end in time. */
    incompleteCalls: number;
    lastAccessAt: number;
    readonly delivery: Delivery;
    readonly calls: CallsInFlight;
    constructor(options: SessionOptions);
    get state(): SessionState;
    /** Number of recorded interactions, including those that batches leave out. */
    get interactionCount(): number;
    /** Input tokens of all recorded calls together. */
    get promptTokens(): number;
    /** Output tokens of all recorded calls together. */
    get completionTokens(): number;
    /** True if neither the session nor any interaction has a reward. */
    get rewardsMissing(): boolean;
    /** The reward of the whole session, which all of its trees share. */
    get sessionReward(): number | undefined;
    /** Native memory that this session holds, in bytes. */
    get byteLength(): number;
    /** Memory that this session holds, native and in JavaScript, in bytes. */
    get storedBytes(): number;
    /** Tokens of all recorded calls. Tokens that a call shares with its parent count once. */
    get storedTokens(): number;
    /** The native session with the tokens, for planning an export. */
    get tokens(): NativeSession;
    touch(): void;
    /** False while the data is on disk only. Until {@link load}, only {@link summarize} and its values may be used. */
    get isLoaded(): boolean;
    /** Number of changes of the stored data in this process. If it grew since the last commit, the newest data is in memory only. */
    get dataChanges(): number;
    /** Keeps the data in memory until {@link release} is called as often. */
    hold(): void;
    release(): void;
    /** Returns true if the data is not in use and may be freed with {@link unload}. */
    canUnload(now?: number): boolean;
    /** Calls whose client disconnected before they were recorded. */
    get abortedCalls(): number;
    countAbortedCall(): void;
    /** Number of calls to upstreams. They are not recorded. */
    get upstreamCalls(): number;
    countUpstreamCall(): void;
    /** Returns everything about the session that stays known without its data. */
    summarize(): SessionSummary;
    /** Restores the data from disk. Throws if the tokens are damaged; nothing is restored then. */
    load(stored: StoredSession): void;
    /** {@link load} that restores the tokens on another thread. `stored` must not change meanwhile. Does nothing if the session is freed. */
    loadAsync(stored: StoredSession): Promise<void>;
    /** Frees the data, which must be on disk. {@link load} restores it. */
    unload(): void;
    /** @param previousId id of the interaction that the request names as its predecessor */
    prepare(conversation: Conversation, previousId?: string): PreparedMessages;
    /** {@link prepare} in steps, for conversations of megabytes. */
    prepareInSteps(conversation: Conversation, previousId?: string): Steps<PreparedMessages>;
    /** Returns the parent of a request; undefined if it starts a new conversation. */
    findParent(prepared: PreparedMessages): ParentMatch | undefined;
    /** Returns true if a request continues the newest call, except that its system messages at the start differ. */
    changesSystem(prepared: PreparedMessages): boolean;
    interaction(index: number): Interaction;
    /** Returns the interaction with this id; undefined if there is none or it was freed. */
    find(id: string): Interaction | undefined;
    /** Returns the number of tokens of an interaction, input and output together. */
    sequenceLength(index: number): number;
    /** @throws SessionError if the tokens were already freed by an export or by expiry */
    requireTokens(): void;
    /** Builds a prompt from `pieces`, appended to the full sequence of interaction `base` if given. */
    prompt(pieces: readonly Int32Array[], base?: number): NativePrompt;
    /**
     * Returns how much a call with this prompt would add to the session, without its output. The tokens that it shares with its parent
     * are compared, because templates may render earlier messages differently, for example without their reasoning.
     *
     * @param parent the parent whose tokens the prompt continues; undefined if the whole prompt was rendered
     */
    measureGrowth(prepared: PreparedMessages, prompt: NativePrompt, parent?: ParentMatch): PromptGrowth;
    /** Counts memory that other objects keep for this session until its data is freed. */
    keepBytes(bytes: number): void;
    /** Adds a completed call to the tree and returns its interaction. */
    record(call: CompletedCall): Interaction;
    /** Sets the reward of one interaction. Default: the one that completed last. Returns its id. */
    setReward(reward: number, interactionId?: string): string;
    /**
     * Sets the reward of the whole session, in addition to rewards of its interactions. Every interaction receives it,
     * discounted once per edge down to its descendant leaf that completed last.
     */
    setSessionReward(reward: number): void;
    /**
     * Ends the session. Calls in flight go on. Returns the number of interactions at that time, also if the session had
     * ended before.
     */
    end(outcome?: SessionOutcome): number;
    /** Frees tokens and messages. The session object stays, with its counts. */
    free(state: "expired" | "exported"): void;
    /**
     * Returns why batches leave an interaction out by default; undefined if they include it. The answer may change later.
     */
    leftOut(index: number): LeftOutReason | undefined;
    /** Returns all interactions that are left out, by ascending index. See {@link Delivery.allLeftOut}. */
    leftOutInteractions(): LeftOutInteraction[];
    /** Returns the input messages of an interaction, exactly as its request spelled them. */
    readMessages(interaction: Interaction): Message[];
    /** Returns the JSON of the tools of an interaction; undefined if it had none or they were not recorded. */
    readTools({ toolsKey }: Interaction): string | undefined;
}
