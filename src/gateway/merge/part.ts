import { z } from "zod";
import { ApiError } from "../../http/errors.js";
import { SafetensorsError } from "../../support/safetensors/errors.js";
import { type Header, readHeader, type TensorEntry } from "../../support/safetensors/read-header.js";

/** An entry of `rows` in the metadata: a row of a batch, or a node of a tree. */
export interface Row {
  readonly session_id: string;
  readonly task_id: string;
  readonly group_id: string | null;
  readonly interaction_id: string;
  readonly length: number;
  readonly agent_id?: string | undefined;
  readonly parent_agent_id?: string | undefined;
  readonly turn_id?: string | undefined;
}

/** One worker's part of a batch: its metadata, and views of its tensors in the received bytes. */
export interface Part {
  readonly metadata: Metadata;
  readonly rows: readonly Row[];
  readonly tensors: ReadonlyMap<string, PartTensor>;
}

export interface PartTensor {
  readonly dtype: BatchDtype;
  readonly bytes: Uint8Array;
}

/** The element types of a batch. */
export type BatchDtype = "I32" | "F32" | "BOOL";

/** The keys have the order in which a worker writes them, because the merged rows are written from the parsed ones. */
const rowSchema = z.object({
  session_id: z.string(),
  task_id: z.string(),
  group_id: z.string().nullable(),
  interaction_id: z.string(),
  length: z.int(),
  agent_id: z.string().optional(),
  parent_agent_id: z.string().optional(),
  turn_id: z.string().optional(),
});

const episodeSchema = z.object({
  session_id: z.string(),
  group_id: z.string().nullable(),
  reward: z.number().nullable(),
  return: z.number().nullable(),
  rows: z.int(),
});

const metadataSchema = z.object({
  style: z.string(),
  discount: z.string(),
  rewards_missing: jsonText(z.array(z.string())),
  incomplete_calls: jsonText(z.record(z.string(), z.int())),
  aborted_calls: jsonText(z.record(z.string(), z.int())),
  filters: z.string().optional(),
  filtered: z.coerce.number().int().min(0).optional(),
  rewards_filtered: jsonText(z.array(z.string())).optional(),
  rows: jsonText(z.array(rowSchema)),
  version: z.string().optional(),
  model: z.string().optional(),
  model_digest: z.string().optional(),
  config: z.string().optional(),
  version_labels: jsonText(z.record(z.string(), z.int())).optional(),
  concat_reward: z.string().optional(),
  unrewarded_roots: jsonText(
    z.object({
      count: z.int(),
      first: z.array(z.object({ session_id: z.string(), interaction_id: z.string() })),
    }),
  ).optional(),
  left_out: jsonText(z.object({ undelivered: z.int(), retried: z.int() })).optional(),
  uncounted_rewards: z.string().optional(),
  episodes: jsonText(z.array(episodeSchema)).optional(),
  row_codes: jsonText(z.record(z.string(), z.array(z.string()))).optional(),
});

type Metadata = Omit<z.output<typeof metadataSchema>, "rows">;

/**
 * Reads a safetensors file (docs/reference/batch-format.md) without copying its tensors.
 *
 * @throws {@link ApiError} `invalid_worker_reply` if the bytes are not a batch
 */
export function readPart(file: Uint8Array): Part {
  const header = parseHeader(file);
  const parsed = metadataSchema.safeParse(header.metadata);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const tensors = header.tensors.map((entry) => [entry.name, viewTensor(file, entry)] as const);
  return { metadata: parsed.data, rows: parsed.data.rows, tensors: new Map(tensors) };
}

function parseHeader(file: Uint8Array): Header {
  try {
    return readHeader(file);
  } catch (error) {
    throw error instanceof SafetensorsError ? invalid(error.reason) : error;
  }
}

function viewTensor(file: Uint8Array, { name, dtype, start, end }: TensorEntry): PartTensor {
  if (dtype !== "I32" && dtype !== "F32" && dtype !== "BOOL") throw invalid(`${name} has dtype ${dtype}`);
  return { dtype, bytes: file.subarray(start, end) };
}

/** Returns the int32 values of a part's tensor, as a view. */
export function readInt32(part: Part, name: string): Int32Array {
  const { bytes } = requireTensor(part, name);
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

/** @throws {@link ApiError} `invalid_worker_reply` if the part has no such tensor */
export function requireTensor({ tensors }: Part, name: string): PartTensor {
  const tensor = tensors.get(name);
  if (!tensor) throw invalid(`it has no tensor ${name}`);
  return tensor;
}

function jsonText<Schema extends z.ZodType>(schema: Schema) {
  const parsed = z.string().transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: "custom", message: "is not JSON" });
      return z.NEVER;
    }
  });
  return parsed.pipe(schema);
}

function invalid(reason: string): ApiError {
  return new ApiError("invalid_worker_reply", `A worker's part of the batch is invalid: ${reason}.`);
}
