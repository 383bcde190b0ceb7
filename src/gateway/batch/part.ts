import { z } from "zod";
import { ApiError } from "../../http/errors.js";

/** A row of a batch, a node of a tree, as `rows` of the metadata has it. */
export interface Row {
  readonly session_id: string;
  readonly task_id: string;
  readonly group_id: string | null;
  readonly interaction_id: string;
  readonly length: number;
}

/** One worker's part of a batch: its metadata, and views of its tensors in the bytes that came. */
export interface Part {
  readonly metadata: Metadata;
  readonly rows: readonly Row[];
  readonly tensors: ReadonlyMap<string, PartTensor>;
}

export interface PartTensor {
  readonly dtype: Dtype;
  readonly bytes: Uint8Array;
}

export type Dtype = "I32" | "F32" | "BOOL";

export const ELEMENT_BYTES: Readonly<Record<Dtype, number>> = { I32: 4, F32: 4, BOOL: 1 };

/** Its keys in the order in which a worker writes them, since the merged rows are written from what this reads. */
const rowSchema = z.object({
  session_id: z.string(),
  task_id: z.string(),
  group_id: z.string().nullable(),
  interaction_id: z.string(),
  length: z.int(),
});

const metadataSchema = z.object({
  style: z.string(),
  discount: z.string(),
  rewards_missing: jsonOf(z.array(z.string())),
  incomplete_calls: jsonOf(z.record(z.string(), z.int())),
  aborted_calls: jsonOf(z.record(z.string(), z.int())),
  rows: jsonOf(z.array(rowSchema)),
  version: z.string().optional(),
  model: z.string().optional(),
  model_digest: z.string().optional(),
  config: z.string().optional(),
  concat_reward: z.string().optional(),
  unrewarded_roots: jsonOf(
    z.object({
      count: z.int(),
      first: z.array(z.object({ session_id: z.string(), interaction_id: z.string() })),
    }),
  ).optional(),
  left_out: jsonOf(z.object({ undelivered: z.int(), retried: z.int() })).optional(),
  uncounted_rewards: z.string().optional(),
  row_codes: jsonOf(z.record(z.string(), z.array(z.string()))).optional(),
});

type Metadata = Omit<z.output<typeof metadataSchema>, "rows">;

const headerSchema = z.object({ __metadata__: metadataSchema }).catchall(
  z.object({
    dtype: z.enum(["I32", "F32", "BOOL"]),
    shape: z.array(z.int().min(0)),
    data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
  }),
);

/**
 * Reads a safetensors file (docs/reference/batch-format.md) without copying its tensors.
 *
 * @throws {@link ApiError} `invalid_worker_reply` for bytes that are none
 */
export function readPart(file: Uint8Array): Part {
  const { header, data } = split(file);
  const parsed = headerSchema.safeParse(header);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error));
  const { __metadata__: metadata, ...entries } = parsed.data;
  const tensors = Object.entries(entries).map(([name, entry]) => {
    const { dtype, shape, data_offsets } = entry as TensorEntry;
    const [from, to] = data_offsets;
    const elements = shape.reduce((product, extent) => product * extent, 1);
    if (to > data.length || to - from !== elements * ELEMENT_BYTES[dtype]) throw invalid(`${name} is cut off`);
    return [name, { dtype, bytes: data.subarray(from, to) }] as const;
  });
  return { metadata, rows: metadata.rows, tensors: new Map(tensors) };
}

interface TensorEntry {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly data_offsets: readonly [number, number];
}

/** int32 values of a part's tensor, a view. */
export function int32Of(part: Part, name: string): Int32Array {
  const { bytes } = tensorOf(part, name);
  return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
}

export function tensorOf({ tensors }: Part, name: string): PartTensor {
  const tensor = tensors.get(name);
  if (!tensor) throw invalid(`it has no tensor ${name}`);
  return tensor;
}

function split(file: Uint8Array): { header: unknown; data: Uint8Array } {
  if (file.byteLength < 8) throw invalid("it ends within its length");
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const end = 8 + Number(view.getBigUint64(0, true));
  if (end > file.byteLength) throw invalid("it ends within its header");
  try {
    return {
      header: JSON.parse(Buffer.from(file.buffer, file.byteOffset + 8, end - 8).toString()),
      data: file.subarray(end),
    };
  } catch {
    throw invalid("its header is not JSON");
  }
}

function jsonOf<Schema extends z.ZodType>(schema: Schema) {
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
  return new ApiError("invalid_worker_reply", `A worker's part of the batch is not a safetensors file: ${reason}.`);
}
