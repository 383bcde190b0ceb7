import type { AgentHints } from "../../facts/call-facts.js";
import type { BatchTensorLayout, NativeBatch, PackOptions } from "../../native/contract.js";
import { Slices } from "../../support/async/run-steps.js";
import type { Steps } from "../../support/async/steps.js";
import type { Session } from "../session.js";
import type { Split } from "../session-summary.js";
import type { BatchMemory } from "./batch-memory.js";
import {
  type BatchMetadata,
  type BatchOrigin,
  batchMetadata,
  type ExportSummary,
  summarize,
  uncountedRewards,
} from "./batch-metadata.js";
import type { BatchOptions } from "./batch-options.js";
import { type BatchImage, makeImageParts } from "./image-tensors.js";
import { type ExportPlan, findOwner, type OtherEpisode, planExport, planShards, requireRows } from "./plan.js";
import { type RowNames, readRowNames, writeEpisodesJson, writeRowsJson } from "./row-names.js";
import { listTeachers } from "./teachers.js";
import { type BatchTensors, tensorView } from "./tensor.js";

type Memory = NonNullable<PackOptions["memory"]>;

/** Batches of at least this many bytes are sent in parts. If the answer is not held, they are also packed in stripes. */
export const LARGE_BATCH = 16 << 20;
/** Size of the first stripe of a batch. */
const FIRST_STRIPE = 4 << 20;

export interface BatchRow {
  readonly sessionId: string;
  readonly taskId: string;
  /** Null if the session has no group. */
  readonly groupId: string | null;
  readonly split: Split;
  readonly interactionId: string;
  /** Number of tokens without padding. */
  readonly length: number;
  /** After discount. */
  readonly reward: number;
  /** Hints of the agent program about the row's interaction. */
  readonly hints?: AgentHints;
}

/** A batch in one block of native memory, laid out as safetensors. */
export class Batch<Layout extends BatchTensorLayout = BatchTensorLayout> {
  readonly #native: NativeBatch;
  readonly #listRows: () => BatchRow[];
  #rows: readonly BatchRow[] | undefined;
  #tensors: BatchTensors<Layout> | undefined;
  #isReleased = false;
  /** Called when {@link writtenBytes} has grown. */
  onWritten: (() => void) | undefined;

  /**
   * The image files of the rows, each once. Empty unless `imageBytes` is `files`. Store them in a folder beside the batch, with the names
   * of docs/reference/batch-format.md#images.
   */
  readonly imageFiles: readonly BatchImage[];

  /** @param listRows is called when {@link rows} is first read */
  constructor(native: NativeBatch, listRows: () => BatchRow[], imageFiles: readonly BatchImage[] = []) {
    this.#native = native;
    this.#listRows = listRows;
    this.imageFiles = imageFiles;
  }

  get rows(): readonly BatchRow[] {
    this.#rows ??= this.#listRows();
    return this.#rows;
  }

  /** Views of {@link bytes}, created on first access. */
  get tensors(): BatchTensors<Layout> {
    this.#tensors ??= Object.fromEntries(
      this.#native.tensors.map((span) => [span.name, tensorView(this.#native.bytes, span)]),
    ) as unknown as BatchTensors<Layout>;
    return this.#tensors;
  }

  /** The whole block as a safetensors file. */
  get bytes(): Uint8Array {
    return this.#native.bytes;
  }

  /** Returns a new view of the bytes [begin, end). See {@link NativeBatch.part}. */
  part(begin: number, end: number): Uint8Array {
    return this.#native.part(begin, end);
  }

  /** Number of bytes at the start of {@link bytes} that are written. */
  get writtenBytes(): number {
    return this.#native.writtenBytes;
  }

  /** Writes the rest of a batch that is packed in stripes, unless the batch is released meanwhile. */
  async complete(): Promise<void> {
    while (!this.#isReleased && this.writtenBytes < this.byteLength) {
      // Each stripe waits for an iteration of the event loop. So there are few: each is as long as all before it.
      await this.#native.writeStripe(this.writtenBytes);
      if (!this.#isReleased) this.onWritten?.();
    }
  }

  /** Size of the whole block. */
  get byteLength(): number {
    return this.#native.byteLength;
  }

  get memory(): BatchMemory {
    return this.#native.memory;
  }

  /** The file of a batch in shared memory. It exists until the batch is acknowledged or released. */
  get path(): string | undefined {
    return this.#native.path;
  }

  /** True if a reader has unlinked or moved the file, which then belongs to the reader. */
  get taken(): boolean {
    return this.#native.taken;
  }

  /** Releases the batch and allows its memory to be reused: no other process reads the file any more. */
  acknowledge(): void {
    this.#isReleased = true;
    this.#native.acknowledge();
  }

  /** Frees the block, detaches its views and unlinks a shared file. Idempotent. */
  release(): void {
    this.#isReleased = true;
    this.#native.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

export interface PackTarget {
  /** Default "heap". */
  readonly memory?: Memory;
  /** The server that recorded the sessions. */
  readonly origin?: BatchOrigin | undefined;
  /** Slices of the event loop, shared with the caller's work before and after. Default: new ones. */
  readonly slices?: Slices;
  /** Receives counts of what the export leaves out, after planning and before packing. */
  readonly onPlanned?: (summary: ExportSummary) => void;
  /**
   * Receives a large batch in heap memory when its first stripe is written: see {@link Batch.writtenBytes}. The receiver releases the
   * batch, also if packing fails afterwards. Small batches, and those of layout `tree`, are packed at once.
   */
  readonly onFirstStripe?: ((batch: Batch) => void) | undefined;
}

/**
 * Plans and packs a batch. Packing runs off the event loop, and other work runs between slices of the planning. No session may be
 * freed until the batch is packed.
 */
export async function packBatch<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  { memory = "heap", origin, slices = new Slices(), onPlanned }: PackTarget = {},
): Promise<Batch<Layout>> {
  const plan = await slices.run(planExport(sessions, options, listTeachers(origin)));
  onPlanned?.(summarize(plan));
  const pack = await slices.run(preparePack<Layout>(plan, batchMetadata(plan, options, origin), options));
  return pack(memory);
}

export interface ShardOptions {
  /** Number of shards. */
  readonly shards: number;
  /** Index of the only shard to pack, from 0. Absent: all of them. */
  readonly shard?: number | undefined;
  /** The export of which the sessions are a part. Absent: they are the whole export. */
  readonly within?: WholeExport | undefined;
}

/** An export of several servers, each of which packs shards of its own sessions. One shard is packed at a time. */
export interface WholeExport {
  /** Number of shards of all servers. */
  readonly shards: number;
  /** Index of the packed shard among these. */
  readonly shard: number;
  /** The sessions of the other servers, in the order of their positions. */
  readonly others: readonly OtherEpisode[];
}

/**
 * Plans a batch and packs it in shards with nearly equal numbers of tokens. Each shard is a complete batch. The same
 * sessions and options are always split in the same way, so that shards can be exported one by one.
 */
export async function packShards<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  { shards, shard, within }: ShardOptions,
  { memory = "heap", origin, slices = new Slices(), onPlanned, onFirstStripe }: PackTarget = {},
): Promise<Batch<Layout>[]> {
  const whole = await slices.run(planExport(sessions, options, listTeachers(origin), within?.others));
  onPlanned?.(summarize(whole));
  if (within) requireRows(whole, shards, within.shards / shards);
  const plans = planShards(whole, shards);
  const metadata = batchMetadata(whole, options, origin);
  const batches: Batch<Layout>[] = [];
  try {
    for (const [index, plan] of plans.entries()) {
      if (shard !== undefined && shard !== index) continue;
      const named = within ?? { shards, shard: index };
      const ofShard =
        named.shards === 1 ? metadata : { ...metadata, shard: String(named.shard), shards: String(named.shards) };
      const pack = await slices.run(preparePack<Layout>(plan, ofShard, options));
      batches.push(await pack(memory, onFirstStripe));
    }
  } catch (error) {
    for (const batch of batches) batch.release();
    throw error;
  }
  return batches;
}

/** Writes the names of a plan's rows. Returns a function that packs the plan. */
function* preparePack<Layout extends BatchTensorLayout>(
  plan: ExportPlan,
  metadata: BatchMetadata,
  options: BatchOptions,
): Steps<(memory: Memory, onFirstStripe?: PackTarget["onFirstStripe"]) => Promise<Batch<Layout>>> {
  const { style, rowTensors } = options;
  const names = yield* readRowNames(plan);
  const rows = yield* writeRowsJson(plan, names);
  const episodes = rowTensors && { episodes: yield* writeEpisodesJson(plan) };
  const images = yield* makeImageParts(plan, options);
  const rewardMetadata = rowTensors && style === "concat" ? uncountedRewards(plan) : {};
  return async (memory, onFirstStripe) => {
    const stripes = onFirstStripe && { stripes: { from: LARGE_BATCH, first: FIRST_STRIPE } };
    const texts = { ...metadata, ...rewardMetadata, ...images.metadata, ...episodes, rows };
    const packed = await plan.native.pack(texts, { memory, tensors: images.tensors, ...stripes });
    const batch = new Batch<Layout>(packed, () => listRows(plan, names), images.files);
    if (packed.writtenBytes < packed.byteLength) {
      // Before the receiver has the batch, because it may release it at once.
      const complete = batch.complete();
      onFirstStripe?.(batch as unknown as Batch);
      await complete;
    }
    return batch;
  };
}

function listRows({ native: { rows }, sessions }: ExportPlan, names: RowNames): BatchRow[] {
  return names.interactionIds.map((interactionId, i) => {
    const { id, taskId, groupId = null, split } = findOwner(rows, sessions, i);
    const [length, reward] = [rows.lengths[i] ?? 0, rows.rewards[i] ?? 0];
    const hints = names.hints.get(i);
    return { sessionId: id, taskId, groupId, split, interactionId, length, reward, ...(hints && { hints }) };
  });
}

/**
 * Returns each session as an episode of an export with these options, for the servers that pack the other sessions of the export.
 *
 * @throws the errors of {@link packShards}
 */
export function* planEpisodes(
  sessions: readonly Session[],
  options: BatchOptions,
  origin: BatchOrigin | undefined,
): Steps<Omit<OtherEpisode, "position">[]> {
  const { native } = yield* planExport(sessions, options, listTeachers(origin));
  const episodes: Omit<OtherEpisode, "position">[] = [];
  for (const [index, { id, groupId }] of sessions.entries()) {
    yield;
    episodes.push({ id, groupId, ...native.episode(index) });
  }
  return episodes;
}
