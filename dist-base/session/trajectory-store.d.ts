import { type ChatMessage } from "../conversation/chat-message.js";
import type { MessageFilter } from "../conversation/text-filter.js";
import type { BatchTensorLayout } from "../native/contract.js";
import { type Batch } from "./batch/batch.js";
import { type BatchMemory, type SharedMemoryOptions } from "./batch/batch-memory.js";
import { type BatchOptionsInput } from "./batch/batch-options.js";
import type { RecordedSampling } from "./recorded-sampling.js";
import { Session } from "./session.js";
export interface RecordInput {
    /** The call's input messages, in the format of OpenAI's chat completions. */
    readonly messages: readonly ChatMessage[];
    /** The model's answer. */
    readonly output: ChatMessage | readonly ChatMessage[];
    readonly promptIds: Int32Array;
    readonly outputIds: Int32Array;
    /** Natural log probability of each output token. */
    readonly logprobs: Float32Array;
    /** Weight version of all output tokens, or one for each token. */
    readonly versions: number | Int32Array;
    readonly finishReason: string;
    /** Default: a random id. */
    readonly interactionId?: string;
    /** How the tokens were sampled. Default of each parameter: off, and temperature 1. */
    readonly sampling?: Partial<RecordedSampling>;
    /** The model that the call named. */
    readonly model?: string;
    /** A name for calls of this kind, by which exports can choose rows: 1 to 64 characters of A-Z a-z 0-9 . _ : - */
    readonly tag?: string;
    /** Number of tools that the prompt showed. */
    readonly tools?: number;
    /** Milliseconds since the epoch, when the call began. */
    readonly startedAt?: number;
}
/** A session of a {@link TrajectoryStore}. A trainer bridge records into it the calls of its engine. */
export declare class StoredSession {
    #private;
    constructor(session: Session);
    get id(): string;
    get interactionCount(): number;
    /** Records a call: finds its parent, shares the common prefix and stores the rest. Returns the interaction's id. */
    record(input: RecordInput): string;
    /** Sets the reward of one interaction. Default: the last one. A later value replaces an earlier one. */
    setReward(reward: number, interactionId?: string): void;
    /**
     * Sets the reward of the whole session, in addition to rewards of its interactions. See "Rewards" in
     * docs/reference/http-api.md.
     */
    setSessionReward(reward: number): void;
    /** Ends the session, which then records no more calls. Idempotent. */
    end(): void;
}
export interface CreateSessionOptions {
    readonly sessionId: string;
    /** `task_id` in the rows of batches. Default: the session's id. */
    readonly taskId?: string | undefined;
    /** `group_id` in the rows of batches. Sessions with the same group are compared with each other. */
    readonly groupId?: string | undefined;
    readonly messageFilters?: readonly MessageFilter[];
}
export type StoreExportOptions = BatchOptionsInput & {
    /** Default "heap". */
    readonly memory?: BatchMemory;
    /**
     * Frees the sessions when the batch is packed. Default true. False keeps them, so that they can be exported again.
     */
    readonly release?: boolean;
};
/**
 * Sessions in this process, for trainer bridges that record and export without a server.
 *
 * Shared files are removed after a minute without a batch. {@link TrajectoryStore.close} removes all of them.
 */
export declare class TrajectoryStore {
    #private;
    constructor({ sharedMemory }?: {
        readonly sharedMemory?: SharedMemoryOptions;
    });
    createSession({ sessionId, taskId, groupId, messageFilters }: CreateSessionOptions): StoredSession;
    /** Packs ended sessions into one batch. If that fails, no session is exported and none is freed. */
    exportBatch<Layout extends BatchTensorLayout = "padded">(sessionIds: readonly string[], options?: StoreExportOptions & {
        readonly layout?: Layout | undefined;
    }): Promise<Batch<Layout>>;
    /**
     * Packs ended sessions into one batch per data-parallel rank. The rows (of layout `tree`: the trees) are split so
     * that the batches have nearly equal numbers of tokens. Each batch is complete, and padded to its own longest row.
     *
     * @throws SessionError `too_few_rows` if a batch would be empty
     */
    exportShards<Layout extends BatchTensorLayout = "padded">(sessionIds: readonly string[], { shards, ...options }: StoreExportOptions & {
        readonly shards: number;
        readonly layout?: Layout | undefined;
    }): Promise<Batch<Layout>[]>;
    /** Frees sessions without exporting them. Unknown ids are ignored. */
    release(sessionIds: readonly string[]): void;
    /**
     * Frees all sessions, and the shared memory that no batch uses. Existing batches stay valid until they are released.
     * An export that has no memory yet fails with `ERR_RELEASED`. Later calls that create or export throw `store_closed`.
     * Idempotent.
     */
    close(): void;
    [Symbol.dispose](): void;
}
