import { isDeepStrictEqual } from "node:util";
import { mergeParts } from "../../gateway/merge/merge-parts.js";
import { type Part, type PartTensor, readPart, requireTensor } from "../../gateway/merge/part.js";
import { type BatchOptionsInput, batchOptionsSchema } from "../../session/batch/batch-options.js";
import { openRegularFile } from "../../support/regular-file.js";
import { ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import { readHeader } from "../../support/safetensors/read-header.js";
import { writeBatchFile } from "../rollout/batch-file.js";
import { StorageCommandError } from "../storage/errors.js";
import { readBatchFacts } from "./batch-facts.js";
import { toFlag } from "./export-options.js";
import { sessionsFileOf } from "./sessions-file-path.js";
import type { WrittenExport } from "./write-export.js";

/** Options that change how rows are laid out, but not what they contain. */
const LAYOUT_OPTIONS: ReadonlySet<string> = new Set(["layout", "padTokenId", "padSide", "padToMultipleOf"]);

const CHUNK_BYTES = 1 << 24;

/**
 * Writes a batch in the layout `padded` or `packed`, or with other padding. Its server would have exported the same bytes.
 *
 * @param given the options that the user set
 * @throws StorageCommandError `invalid_arguments` if the options need more than the batch has
 */
export async function convertBatch(
  file: string,
  given: Readonly<Record<string, unknown>>,
  out: string,
): Promise<WrittenExport> {
  const bytes = await readWhole(file);
  const header = readHeader(bytes);
  const facts: Readonly<Record<string, unknown>> = readBatchFacts(file, header);
  const changed = Object.keys(given).find(
    (name) => !LAYOUT_OPTIONS.has(name) && !isDeepStrictEqual(given[name], facts[name]),
  );
  if (changed !== undefined) throw missingSessions(file, toFlag(changed));
  const options = batchOptionsSchema.parse({ ...facts, ...given } as BatchOptionsInput);
  const { layout } = options;
  if (facts["layout"] === "tree" || layout === "tree") throw missingSessions(file, `${toFlag("layout")} ${layout}`);
  if (header.metadata["shards"] !== undefined) throw missingSessions(file, "A shard");
  const part = facts["layout"] === "padded" ? removePadding(readPart(bytes)) : readPart(bytes);
  const padding = {
    pad_token_id: options.padTokenId,
    pad_side: options.padSide,
    pad_to_multiple_of: options.padToMultipleOf,
  };
  const ids = listSessions(part);
  const batch = mergeParts([part], ids, { layout, ...padding });
  await writeBatchFile(out, Buffer.concat([...batch.chunks()]));
  return { sessions: ids.length, rows: part.rows.length, bytes: batch.byteLength };
}

/** Returns the bytes of a file. `readFile` refuses files of more than two gigabytes. */
async function readWhole(path: string): Promise<Uint8Array> {
  const file = await openRegularFile(path);
  try {
    const bytes = new Uint8Array((await file.stat()).size);
    for (let at = 0; at < bytes.length; ) {
      const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at), at);
      if (bytesRead === 0) throw new Error(`${path} has become shorter`);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

function missingSessions(file: string, what: string): StorageCommandError {
  const message =
    `${what} needs the records of the sessions, but there is no ${sessionsFileOf(file)}. A batch alone can only change between ` +
    "the layouts padded and packed. `rolltape rollout --sessions` keeps the records; `rolltape export --storage` reads those of a server.";
  return new StorageCommandError("invalid_arguments", message);
}

/** Returns the session ids of a batch in their order. Sessions without rows come last. */
function listSessions({ rows, metadata }: Part): string[] {
  const named = [
    ...(metadata.episodes ?? []).map(({ session_id }) => session_id),
    ...rows.map(({ session_id }) => session_id),
    ...metadata.rewards_missing,
    ...Object.keys(metadata.incomplete_calls),
    ...Object.keys(metadata.aborted_calls),
    ...(metadata.rewards_filtered ?? []),
  ];
  return [...new Set(named)];
}

const TOKEN_TENSORS = ["input_ids", "loss_mask", "logprobs", "versions", "attention_mask"] as const;

/** Returns the same rows one after the other, without padding. */
function removePadding(padded: Part): Part {
  const { rows, tensors } = padded;
  const mask = requireTensor(padded, "attention_mask").bytes;
  const width = rows.length === 0 ? 0 : mask.length / rows.length;
  const ranges = rows.map(({ length }, row) => {
    const first = row * width + Math.max(0, mask.subarray(row * width, (row + 1) * width).indexOf(1));
    return [first, first + length] as const;
  });
  const packed = new Map<string, PartTensor>(tensors);
  for (const name of TOKEN_TENSORS) packed.set(name, gather(requireTensor(padded, name), ranges));
  const starts = [0];
  for (const { length } of rows) starts.push((starts.at(-1) ?? 0) + length);
  packed.set("cu_seqlens", toTensor(starts));
  packed.set("position_ids", toTensor(rows.flatMap(({ length }) => Array.from({ length }, (_, position) => position))));
  return { ...padded, tensors: packed };
}

function gather({ dtype, bytes }: PartTensor, ranges: readonly (readonly [from: number, to: number])[]): PartTensor {
  const size = ELEMENT_BYTES[dtype];
  return { dtype, bytes: Buffer.concat(ranges.map(([from, to]) => bytes.subarray(from * size, to * size))) };
}

function toTensor(values: readonly number[]): PartTensor {
  const { buffer } = Int32Array.from(values);
  return { dtype: "I32", bytes: new Uint8Array(buffer) };
}
