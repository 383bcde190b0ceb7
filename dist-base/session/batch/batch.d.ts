import type { BatchTensorLayout, NativeBatch, PackOptions } from "../../native/contract.js";
import type { AgentHints } from "../interaction.js";
import type { Session } from "../session.js";
import type { BatchMemory } from "./batch-memory.js";
import { type BatchOrigin, type ExportSummary } from "./batch-metadata.js";
import type { BatchOptions } from "./batch-options.js";
import { type BatchTensors } from "./tensor.js";
type Memory = NonNullable<PackOptions["memory"]>;
/** Batches of at least this many bytes are sent in parts. If the answer is not held, they are also packed in two passes. */
export declare const LARGE_BATCH: number;
export interface BatchRow {
    readonly sessionId: string;
    readonly taskId: string;
    /** Null if the session has no group. */
    readonly groupId: string | null;
    readonly interactionId: string;
    /** Number of tokens without padding. */
    readonly length: number;
    /** After discount. */
    readonly reward: number;
    /** Hints of the agent program about the row's interaction. */
    readonly hints?: AgentHints;
}
/** A batch in one block of native memory, laid out as safetensors. */
export declare class Batch<Layout extends BatchTensorLayout = BatchTensorLayout> {
    #private;
    /** @param listRows is called when {@link rows} is first read */
    constructor(native: NativeBatch, listRows: () => BatchRow[]);
    get rows(): readonly BatchRow[];
    /** Views of {@link bytes}, created on first access. */
    get tensors(): BatchTensors<Layout>;
    /** The whole block as a safetensors file. */
    get bytes(): Uint8Array;
    /** Returns a new view of the bytes [begin, end). See {@link NativeBatch.part}. */
    part(begin: number, end: number): Uint8Array;
    /** Number of bytes at the start of {@link bytes} that were written when the batch was created. */
    get writtenBytes(): number;
    /** Writes the rest of a batch that is packed in two parts. See {@link NativeBatch.complete}. */
    complete(): Promise<void>;
    /** Size of the whole block. */
    get byteLength(): number;
    get memory(): BatchMemory;
    /** The file of a batch in shared memory. It exists until the batch is acknowledged or released. */
    get path(): string | undefined;
    /** True if a reader has unlinked or moved the file, which then belongs to the reader. */
    get taken(): boolean;
    /** Releases the batch and allows its memory to be reused: no other process reads the file any more. */
    acknowledge(): void;
    /** Frees the block, detaches its views and unlinks a shared file. Idempotent. */
    release(): void;
    [Symbol.dispose](): void;
}
export interface PackTarget {
    /** Default "heap". */
    readonly memory?: Memory;
    /** The server that recorded the sessions. */
    readonly origin?: BatchOrigin | undefined;
    /** True for a part of a larger batch. The limit of labels then applies to the larger batch, not to this part. */
    readonly isPart?: boolean;
    /** Receives counts of what the export leaves out, after planning and before packing. */
    readonly onPlanned?: (summary: ExportSummary) => void;
    /**
     * Receives a large batch in heap memory when its first part is written: see {@link Batch.writtenBytes}. The receiver releases the
     * batch, also if packing fails afterwards. Small batches, and those of layout `tree`, are packed at once.
     */
    readonly onFirstPart?: ((batch: Batch) => void) | undefined;
}
/**
 * Plans and packs a batch. Packing runs off the event loop, and other work runs between slices of the planning. No session may be
 * freed until the batch is packed.
 */
export declare function packBatch<Layout extends BatchTensorLayout>(sessions: readonly Session[], options: BatchOptions & {
    readonly layout: Layout;
}, { memory, origin, onPlanned }?: PackTarget): Promise<Batch<Layout>>;
export interface ShardOptions {
    /** Number of shards. */
    readonly shards: number;
    /** Index of the only shard to pack, from 0. Absent: all of them. */
    readonly shard?: number | undefined;
}
/**
 * Plans a batch and packs it in shards with nearly equal numbers of tokens. Each shard is a complete batch. The same
 * sessions and options are always split in the same way, so that shards can be exported one by one.
 */
export declare function packShards<Layout extends BatchTensorLayout>(sessions: readonly Session[], options: BatchOptions & {
    readonly layout: Layout;
}, { shards, shard }: ShardOptions, { memory, origin, isPart, onPlanned, onFirstPart }?: PackTarget): Promise<Batch<Layout>[]>;
export {};
