import { runInSlices } from "../../support/async/run-steps.js";
import { batchMetadata, summarize, uncountedRewards, } from "./batch-metadata.js";
import { findOwner, planExport, planShards } from "./plan.js";
import { readRowNames, writeRowsJson } from "./row-names.js";
import { tensorView } from "./tensor.js";
const NO_LIMIT = 0;
/** Batches of at least this many bytes are sent in parts. If the answer is not held, they are also packed in two passes. */
export const LARGE_BATCH = 16 << 20;
/** A batch in one block of native memory, laid out as safetensors. */
export class Batch {
    #native;
    #listRows;
    #rows;
    #tensors;
    /** @param listRows is called when {@link rows} is first read */
    constructor(native, listRows) {
        this.#native = native;
        this.#listRows = listRows;
    }
    get rows() {
        this.#rows ??= this.#listRows();
        return this.#rows;
    }
    /** Views of {@link bytes}, created on first access. */
    get tensors() {
        this.#tensors ??= Object.fromEntries(this.#native.tensors.map((span) => [span.name, tensorView(this.#native.bytes, span)]));
        return this.#tensors;
    }
    /** The whole block as a safetensors file. */
    get bytes() {
        return this.#native.bytes;
    }
    /** Returns a new view of the bytes [begin, end). See {@link NativeBatch.part}. */
    part(begin, end) {
        return this.#native.part(begin, end);
    }
    /** Number of bytes at the start of {@link bytes} that were written when the batch was created. */
    get writtenBytes() {
        return this.#native.writtenBytes;
    }
    /** Writes the rest of a batch that is packed in two parts. See {@link NativeBatch.complete}. */
    complete() {
        return this.#native.complete();
    }
    /** Size of the whole block. */
    get byteLength() {
        return this.#native.byteLength;
    }
    get memory() {
        return this.#native.memory;
    }
    /** The file of a batch in shared memory. It exists until the batch is acknowledged or released. */
    get path() {
        return this.#native.path;
    }
    /** True if a reader has unlinked or moved the file, which then belongs to the reader. */
    get taken() {
        return this.#native.taken;
    }
    /** Releases the batch and allows its memory to be reused: no other process reads the file any more. */
    acknowledge() {
        this.#native.acknowledge();
    }
    /** Frees the block, detaches its views and unlinks a shared file. Idempotent. */
    release() {
        this.#native.release();
    }
    [Symbol.dispose]() {
        this.release();
    }
}
/**
 * Plans and packs a batch. Packing runs off the event loop, and other work runs between slices of the planning. No session may be
 * freed until the batch is packed.
 */
export async function packBatch(sessions, options, { memory = "heap", origin, onPlanned } = {}) {
    const plan = await runInSlices(planExport(sessions, options));
    onPlanned?.(summarize(plan));
    const pack = await runInSlices(preparePack(plan, batchMetadata(plan, options, origin), options));
    return pack(memory);
}
/**
 * Plans a batch and packs it in shards with nearly equal numbers of tokens. Each shard is a complete batch. The same
 * sessions and options are always split in the same way, so that shards can be exported one by one.
 */
export async function packShards(sessions, options, { shards, shard }, { memory = "heap", origin, isPart = false, onPlanned, onFirstPart } = {}) {
    const whole = await runInSlices(planExport(sessions, options, isPart ? NO_LIMIT : undefined));
    onPlanned?.(summarize(whole));
    const plans = planShards(whole, shards);
    const metadata = batchMetadata(whole, options, origin);
    const batches = [];
    try {
        for (const [index, plan] of plans.entries()) {
            if (shard !== undefined && shard !== index)
                continue;
            const ofShard = shards === 1 ? metadata : { ...metadata, shard: String(index), shards: String(shards) };
            const pack = await runInSlices(preparePack(plan, ofShard, options));
            batches.push(await pack(memory, onFirstPart));
        }
    }
    catch (error) {
        for (const batch of batches)
            batch.release();
        throw error;
    }
    return batches;
}
/** Writes the names of a plan's rows. Returns a function that packs the plan. */
function* preparePack(plan, metadata, { style, rowTensors }) {
    const names = yield* readRowNames(plan);
    const rows = yield* writeRowsJson(plan, names);
    const rewardMetadata = rowTensors && style === "concat" ? uncountedRewards(plan) : {};
    return async (memory, onFirstPart) => {
        const options = { memory, ...(onFirstPart && { stagedFrom: LARGE_BATCH }) };
        const packed = await plan.native.pack({ ...metadata, ...rewardMetadata, rows }, options);
        const batch = new Batch(packed, () => listRows(plan, names));
        if (packed.writtenBytes < packed.byteLength) {
            // Before the receiver has the batch, because it may release it at once.
            const complete = batch.complete();
            onFirstPart?.(batch);
            await complete;
        }
        return batch;
    };
}
function listRows({ native: { rows }, sessions }, names) {
    return names.interactionIds.map((interactionId, i) => {
        const { id, taskId, groupId = null } = findOwner(rows, sessions, i);
        const [length, reward] = [rows.lengths[i] ?? 0, rows.rewards[i] ?? 0];
        const hints = names.hints.get(i);
        return { sessionId: id, taskId, groupId, interactionId, length, reward, ...(hints && { hints }) };
    });
}
//# sourceMappingURL=batch.js.map