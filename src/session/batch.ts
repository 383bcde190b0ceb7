import type { BatchTensorLayout, NativeBatch, PackOptions } from "../native/contract.js";
import type { BatchMemory } from "./batch-memory.js";
import type { BatchOptions } from "./batch-options.js";
import { type ExportPlan, planExport } from "./plan.js";
import type { Session } from "./session.js";
import { type BatchTensors, tensorView } from "./tensor.js";

export interface BatchRow {
  readonly sessionId: string;
  readonly interactionId: string;
  /** Tokens, padding not counted. */
  readonly length: number;
  /** After discount. */
  readonly reward: number;
}

/** A batch in one block of native memory, laid out as safetensors. */
export class Batch<Layout extends BatchTensorLayout = BatchTensorLayout> {
  readonly rows: readonly BatchRow[];
  readonly #native: NativeBatch;
  #tensors: BatchTensors<Layout> | undefined;

  constructor(native: NativeBatch, rows: readonly BatchRow[]) {
    this.#native = native;
    this.rows = rows;
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

/** Plans and packs a batch; packing runs off the event loop. */
export async function packBatch<Layout extends BatchTensorLayout>(
  sessions: readonly Session[],
  options: BatchOptions & { readonly layout: Layout },
  memory: PackOptions["memory"] = "heap",
): Promise<Batch<Layout>> {
  const plan = planExport(sessions, options);
  const rows = plan.rows.map((row) => ({
    sessionId: row.owner.id,
    interactionId: row.record.id,
    length: row.length,
    reward: row.reward,
  }));
  return new Batch<Layout>(await plan.native.pack(metadataOf(plan, options), { memory }), rows);
}

/** The `__metadata__` of the safetensors header: strings to strings, JSON inside where a value is not text. */
function metadataOf(plan: ExportPlan, { style, discount, layout }: BatchOptions): Record<string, string> {
  const rows = plan.rows.map((row) => ({
    session_id: row.owner.id,
    interaction_id: row.record.id,
    length: row.length,
  }));
  const incomplete = plan.sessions.filter((session) => session.incompleteCalls > 0);
  const rewardsMissing = plan.sessions.filter((session) => session.rewardsMissing).map((session) => session.id);
  return {
    producer: "rolltape",
    layout,
    style,
    discount: String(discount),
    rows: JSON.stringify(rows),
    rewards_missing: JSON.stringify(rewardsMissing),
    incomplete_calls: JSON.stringify(Object.fromEntries(incomplete.map((each) => [each.id, each.incompleteCalls]))),
  };
}
