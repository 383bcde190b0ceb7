import { setImmediate } from "node:timers/promises";
import type { BatchTensorLayout, NativeBatch, PackOptions } from "../../native/contract.js";
import type { Session } from "../session.js";
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
import { type ExportPlan, ownerOf, planExport, planShards } from "./plan.js";
import { type BatchTensors, tensorView } from "./tensor.js";

const NO_LIMIT = 0;

/** So many take about a millisecond. */
const ROWS_PER_TURN = 4096;

type Memory = NonNullable<PackOptions["memory"]>;

export interface BatchRow {
  readonly sessionId: string;
  readonly taskId: string;
  /** Null where the session has none. */
  readonly groupId: string | null;
  readonly interactionId: string;
  /** Tokens, padding not counted. */
  readonly length: number;
  /** After discount. */
  readonly reward: number;
}

/** A batch in one block of native memory, laid out as safetensors. */
export class Batch<Layout extends BatchTensorLayout = BatchTensorLayout> {
  readonly #native: NativeBatch;
  readonly #listRows: () => BatchRow[];
  #rows: readonly BatchRow[] | undefined;
  #tensors: BatchTensors<Layout> | undefined;

  /** @param listRows called when the rows are first asked for. */
  constructor(native: NativeBatch, listRows: () => BatchRow[]) {
    this.#native = native;
    this.#listRows = listRows;
  }

  get rows(): readonly BatchRow[] {
    this.#rows ??= this.#listRows();
    return this.#rows;
  }

  /** Views of {@link bytes}, made when they are first asked for. */
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

  /** Bytes of the whole block. */
  get byteLength(): number {
    return this.#native.byteLength;
  }

  get memory(): BatchMemory {
    return this.#native.memory;
  }

  /** The shared-memory file, where `memory` is "shared"; it is there until the batch is acknowledged or released. */
  get path(): string | undefined {
    return this.#native.path;
  }

  /** A reader unlinked or moved the file: it is the reader's now. */
  get taken(): boolean {
    return this.#native.taken;
  }

  /** Releases, and says that no other process will read the file again: its memory may serve another batch. */
  acknowledge(): void {
    this.#native.acknowledge();
  }

  /** Frees the block, detaches its views, unlinks a shared file. Idempotent. */
  release(): void {
    this.#native.release();
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

export interface PackTarget {
  /** Where the batch lives; default "heap". */
  readonly memory?: Memory;
  /** The server that recorded it. */
  readonly origin?: BatchOrigin | undefined;
  /** Of a part of a larger batch: the limits of label columns apply to the whole. */
  readonly isPart?: boolean;
  /** Told what the export will not contain, once it is planned. */
  readonly onPlanned?: (summary: ExportSummary) => void;
}

/** Plans and packs a batch; packing runs off the event loop. */
export async function packBatch<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  { memory = "heap", origin, onPlanned }: PackTarget = {},
): Promise<Batch<Layout>> {
  const plan = planExport(sessions, options);
  onPlanned?.(summarize(plan));
  return packerOf<Layout>(plan, batchMetadata(plan, options, origin), options)(memory);
}

export interface ShardOptions {
  /** Number of shards. */
  readonly shards: number;
  /** Packs this one only, counted from 0. */
  readonly shard?: number | undefined;
}

/**
 * Plans a batch and packs it in shards of nearly equal numbers of tokens, each a batch of its own. The same sessions and
 * options are always split in the same way, so that shards can be asked for one by one.
 */
export async function packShards<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  { shards, shard }: ShardOptions,
  { memory = "heap", origin, isPart = false, onPlanned }: PackTarget = {},
): Promise<Batch<Layout>[]> {
  const whole = planExport(sessions, options, isPart ? NO_LIMIT : undefined);
  onPlanned?.(summarize(whole));
  const plans = planShards(whole, shards);
  const metadata = batchMetadata(whole, options, origin);
  const packs = plans.flatMap((plan, index) => {
    if (shard !== undefined && shard !== index) return [];
    const named = shards === 1 ? metadata : { ...metadata, shard: String(index), shards: String(shards) };
    return [packerOf<Layout>(plan, named, options)];
  });
  const batches: Batch<Layout>[] = [];
  try {
    for (const pack of packs) batches.push(await pack(memory));
  } catch (error) {
    for (const batch of batches) batch.release();
    throw error;
  }
  return batches;
}

/** Takes now what the sessions know of the rows: they may be freed before the packing begins. */
function packerOf<Layout extends BatchTensorLayout>(
  plan: ExportPlan,
  metadata: BatchMetadata,
  { style, rowTensors }: BatchOptions,
): (memory: Memory) => Promise<Batch<Layout>> {
  const interactionIds = interactionIdsOf(plan);
  return async (memory) => {
    const rows = await rowsJson(plan, interactionIds);
    const ofRows = rowTensors && style === "concat" ? uncountedRewards(plan) : {};
    const batch = await plan.native.pack({ ...metadata, ...ofRows, rows }, { memory });
    return new Batch<Layout>(batch, () => batchRows(plan, interactionIds));
  };
}

/** Of each row. */
function interactionIdsOf({ native: { rows }, sessions }: ExportPlan): string[] {
  return Array.from(rows.interactions, (interaction, i) => ownerOf(rows, sessions, i).interaction(interaction).id);
}

function batchRows({ native: { rows }, sessions }: ExportPlan, interactionIds: readonly string[]): BatchRow[] {
  return interactionIds.map((interactionId, i) => {
    const { id, taskId, groupId = null } = ownerOf(rows, sessions, i);
    const [length, reward] = [rows.lengths[i] ?? 0, rows.rewards[i] ?? 0];
    return { sessionId: id, taskId, groupId, interactionId, length, reward };
  });
}

/**
 * Of each row: session_id, task_id, group_id, interaction_id, length. Of many rows, with turns of the event loop in between.
 * The names that a session's rows share are made JSON once.
 */
async function rowsJson(
  { native: { rows }, sessions }: ExportPlan,
  interactionIds: readonly string[],
): Promise<string> {
  const owners = sessions.map(({ id, taskId, groupId = null }) =>
    JSON.stringify({ session_id: id, task_id: taskId, group_id: groupId }).slice(0, -1),
  );
  const parts: string[] = [];
  for (let from = 0; from < interactionIds.length; from += ROWS_PER_TURN) {
    if (from > 0) await setImmediate();
    const items = interactionIds.slice(from, from + ROWS_PER_TURN).map((interactionId, i) => {
      const row = from + i;
      const owner = owners[rows.sessions[row] ?? 0];
      return `${owner},"interaction_id":${JSON.stringify(interactionId)},"length":${rows.lengths[row]}}`;
    });
    parts.push(items.join(","));
  }
  return `[${parts.join(",")}]`;
}
