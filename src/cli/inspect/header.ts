import { z } from "zod";
import { InspectError } from "./inspect-error.js";

/** Bytes of an element. */
const SIZES = {
  BOOL: 1,
  U8: 1,
  I8: 1,
  I16: 2,
  U16: 2,
  F16: 2,
  BF16: 2,
  I32: 4,
  U32: 4,
  F32: 4,
  F64: 8,
  I64: 8,
  U64: 8,
} as const;

const tensorEntry = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const headerSchema = z.object({ __metadata__: z.record(z.string(), z.string()).default({}) }).catchall(tensorEntry);
/** Files of earlier versions name no task and no group. */
const rowsSchema = z.array(
  z.object({
    session_id: z.string(),
    task_id: z.string().nullable().default(null),
    group_id: z.string().nullable().default(null),
    interaction_id: z.string(),
    length: z.int().min(0),
  }),
);

export interface TensorEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Position of the first byte in the file, and of the byte behind the last. */
  readonly start: number;
  readonly end: number;
}

/** The header of a safetensors file: https://github.com/huggingface/safetensors#format */
export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  /** In the order in which they lie in the file. */
  readonly tensors: readonly TensorEntry[];
}

export interface RowEntry {
  readonly session_id: string;
  readonly task_id: string | null;
  readonly group_id: string | null;
  readonly interaction_id: string;
  /** Tokens, padding not counted. */
  readonly length: number;
}

/** Bytes of the number in front of the header that says how long it is. */
export const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 2 ** 30;

/**
 * Bytes of the header, read from the first {@link LENGTH_BYTES} of a file.
 *
 * @throws InspectError `not_safetensors`
 */
export function headerLength(start: Uint8Array): number {
  if (start.byteLength < LENGTH_BYTES) throw invalid("it is shorter than a header's length");
  const length = new DataView(start.buffer, start.byteOffset).getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES) throw invalid(`its header would have ${length} bytes`);
  return Number(length);
}

/**
 * @param file a whole file, or its beginning with all of the header
 * @param byteLength of the whole file
 * @throws InspectError `not_safetensors`
 */
export function parseHeader(file: Uint8Array, byteLength = file.byteLength): Header {
  const dataStart = LENGTH_BYTES + headerLength(file);
  if (dataStart > file.byteLength) throw invalid("it ends within its header");
  const parsed = headerSchema.safeParse(parseJson(file.subarray(LENGTH_BYTES, dataStart)));
  if (!parsed.success) throw invalid(`its header is not one: ${z.prettifyError(parsed.error)}`);
  const { __metadata__: metadata, ...entries } = parsed.data;
  const tensors = Object.entries(entries as Record<string, z.output<typeof tensorEntry>>)
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [start, end],
        },
      ]) => ({
        name,
        dtype,
        shape,
        start: dataStart + start,
        end: dataStart + end,
      }),
    )
    .toSorted((a, b) => a.start - b.start);
  for (const tensor of tensors) checkExtent(tensor, byteLength);
  return { metadata, tensors };
}

/** The rows that the metadata lists; none where the file is not a batch of ours. */
export function rowsOf({ metadata }: Header): readonly RowEntry[] {
  const parsed = rowsSchema.safeParse(parseJson(Buffer.from(metadata["rows"] ?? "[]")));
  return parsed.success ? parsed.data : [];
}

function checkExtent({ name, dtype, shape, start, end }: TensorEntry, byteLength: number): void {
  if (end < start || end > byteLength) throw invalid(`${name} lies outside of the file`);
  const size: number | undefined = SIZES[dtype as keyof typeof SIZES];
  const elements = shape.reduce((product, dimension) => product * dimension, 1);
  if (size !== undefined && elements * size !== end - start) {
    throw invalid(`${name} is ${dtype} [${shape.join(", ")}] in ${end - start} bytes`);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}

function invalid(why: string): InspectError {
  return new InspectError("not_safetensors", `not a safetensors file: ${why}`);
}
