import { setImmediate } from "node:timers/promises";
import type { BatchTensorLayout, NativeBatch, PackOptions } from "../../native/contract.js";
import type { AgentHints } from "../interaction.js";
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
import { type ExportPlan, findOwner, planExport, planShards } from "./plan.js";
import { type BatchTensors, tensorView } from "./tensor.js";

const NO_LIMIT = 0;

/** Rows written before the event loop gets a turn. This many take about a millisecond. */
const ROWS_PER_TURN = 4096;

type Memory = NonNullable<PackOptions["memory"]>;

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
export class Batch<Layout extends BatchTensorLayout = BatchTensorLayout> {
  readonly #native: NativeBatch;
  readonly #listRows: () => BatchRow[];
  #rows: readonly BatchRow[] | undefined;
  #tensors: BatchTensors<Layout> | undefined;

  /** @param listRows is called when {@link rows} is first read */
  constructor(native: NativeBatch, listRows: () => BatchRow[]) {
    this.#native = native;
    this.#listRows = listRows;
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
    this.#native.acknowledge();
  }

  /** Frees the block, detaches its views and unlinks a shared file. Idempotent. */
  release(): void {
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
  /** True for a part of a larger batch. The limit of labels then applies to the larger batch, not to this part. */
  readonly isPart?: boolean;
  /** Receives counts of what the export leaves out, after planning and before packing. */
  readonly onPlanned?: (summary: ExportSummary) => void;
}

/** Plans and packs a batch. Packing runs off the event loop. */
export async function packBatch<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  { memory = "heap", origin, onPlanned }: PackTarget = {},
): Promise<Batch<Layout>> {
  const plan = planExport(sessions, options);
  onPlanned?.(summarize(plan));
  const pack = preparePack<Layout>(plan, batchMetadata(plan, options, origin), options);
  return pack(memory);
}

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
    const ofShard = shards === 1 ? metadata : { ...metadata, shard: String(index), shards: String(shards) };
    return [preparePack<Layout>(plan, ofShard, options)];
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

/**
 * Returns a function that packs the plan. The names of the rows are read now, because the sessions may be freed
 * before packing begins.
 */
function preparePack<Layout extends BatchTensorLayout>(
  plan: ExportPlan,
  metadata: BatchMetadata,
  { style, rowTensors }: BatchOptions,
): (memory: Memory) => Promise<Batch<Layout>> {
  const names = listRowNames(plan);
  return async (memory) => {
    const rows = await writeRowsJson(plan, names);
    const rewardMetadata = rowTensors && style === "concat" ? uncountedRewards(plan) : {};
    const batch = await plan.native.pack({ ...metadata, ...rewardMetadata, rows }, { memory });
    return new Batch<Layout>(batch, () => listRows(plan, names));
  };
}

/** The text metadata of a batch's rows. */
interface RowNames {
  /** The interaction id of each row. */
  readonly interactionIds: readonly string[];
  /** By row: hints of the agent program. Most programs send none. */
  readonly hints: ReadonlyMap<number, AgentHints>;
}

function listRowNames({ native: { rows }, sessions }: ExportPlan): RowNames {
  const hints = new Map<number, AgentHints>();
  const interactionIds = Array.from(rows.interactions, (index, row) => {
    const interaction = findOwner(rows, sessions, row).interaction(index);
    if (interaction.hints) hints.set(row, interaction.hints);
    return interaction.id;
  });
  return { interactionIds, hints };
}

function listRows({ native: { rows }, sessions }: ExportPlan, names: RowNames): BatchRow[] {
  return names.interactionIds.map((interactionId, i) => {
    const { id, taskId, groupId = null } = findOwner(rows, sessions, i);
    const [length, reward] = [rows.lengths[i] ?? 0, rows.rewards[i] ?? 0];
    const hints = names.hints.get(i);
    return { sessionId: id, taskId, groupId, interactionId, length, reward, ...(hints && { hints }) };
  });
}

/**
 * Returns the metadata `rows` as JSON: session_id, task_id, group_id, interaction_id and length of each row, and the
 * ids that the agent program sent.
 *
 * The event loop gets a turn after every {@link ROWS_PER_TURN} rows. The fields that all rows of a session share are
 * serialized once per session.
 */
async function writeRowsJson(
  { native: { rows }, sessions }: ExportPlan,
  { interactionIds, hints }: RowNames,
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
      const ids = writeAgentIds(hints.get(row));
      return `${owner},"interaction_id":${JSON.stringify(interactionId)},"length":${rows.lengths[row]}${ids}}`;
    });
    parts.push(items.join(","));
  }
  return `[${parts.join(",")}]`;
}

/** Returns the fields of `rows` that name agents and turns, each with a comma before it. Fields without a value are absent. */
function writeAgentIds(hints: AgentHints | undefined): string {
  if (!hints) return "";
  const { agentId, parentAgentId, turnId } = hints;
  const fields = JSON.stringify({ agent_id: agentId, parent_agent_id: parentAgentId, turn_id: turnId }).slice(1, -1);
  return fields === "" ? "" : `,${fields}`;
}
