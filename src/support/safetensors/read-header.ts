import { z } from "zod";
import { countElements, ELEMENT_BYTES } from "./dtype.js";
import { SafetensorsError } from "./errors.js";

export interface TensorEntry {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** Offset of the first byte in the file, and of the byte after the last. */
  readonly start: number;
  readonly end: number;
}

/** The header of a safetensors file: https://github.com/huggingface/safetensors#format */
export interface Header {
  readonly metadata: Readonly<Record<string, string>>;
  /** In the order of their bytes in the file. */
  readonly tensors: readonly TensorEntry[];
}

/** Size of the number at the start of a file, which is the length of the header. */
export const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 2 ** 30;
const METADATA = "__metadata__";

const tensorSchema = z.object({
  dtype: z.string(),
  shape: z.array(z.int().min(0)),
  data_offsets: z.tuple([z.int().min(0), z.int().min(0)]),
});
const anyEntriesSchema = z.map(z.string(), z.unknown());
const metadataSchema = z.map(z.string(), z.string());
const entriesSchema = z.map(z.string(), tensorSchema);

/**
 * Returns the length of the header in bytes.
 *
 * @param start at least the first {@link LENGTH_BYTES} of a file
 * @throws SafetensorsError if the header is longer than `maximum`
 */
export function readHeaderLength(start: Uint8Array, maximum = MAX_HEADER_BYTES): number {
  if (start.byteLength < LENGTH_BYTES) throw new SafetensorsError(`it has fewer than ${LENGTH_BYTES} bytes`);
  const length = new DataView(start.buffer, start.byteOffset, LENGTH_BYTES).getBigUint64(0, true);
  if (length > maximum) throw new SafetensorsError(`its header would have ${length} bytes`);
  return Number(length);
}

/**
 * Reads the header of a file, without reading tensors.
 *
 * @param file a whole file, or its beginning with the complete header
 * @param byteLength size of the whole file
 * @throws SafetensorsError
 */
export function readHeader(file: Uint8Array, byteLength = file.byteLength): Header {
  const header = parseHeader(file);
  for (const tensor of header.tensors) {
    const problem = findExtentProblem(tensor, byteLength);
    if (problem !== undefined) throw new SafetensorsError(`${tensor.name} ${problem}`);
  }
  return header;
}

/**
 * Like {@link readHeader}, but does not check whether the tensors lie in the file.
 *
 * @throws SafetensorsError
 */
export function parseHeader(file: Uint8Array): Header {
  const dataStart = LENGTH_BYTES + readHeaderLength(file);
  if (dataStart > file.byteLength) throw new SafetensorsError("it ends within its header");
  const entries = check(anyEntriesSchema, toMap(parseJson(file.subarray(LENGTH_BYTES, dataStart))));
  const written = entries.get(METADATA);
  const metadata = check(metadataSchema, written === undefined ? new Map() : toMap(written));
  entries.delete(METADATA);
  const tensors = [...check(entriesSchema, entries)]
    .map(
      ([
        name,
        {
          dtype,
          shape,
          data_offsets: [from, to],
        },
      ]) => ({
        name,
        dtype,
        shape,
        start: dataStart + from,
        end: dataStart + to,
      }),
    )
    .toSorted((a, b) => a.start - b.start);
  return { metadata: Object.fromEntries(metadata), tensors };
}

/** Returns the entries of an object as a map; any other value as it is. Zod's records lack the key `__proto__`. */
function toMap(value: unknown): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? new Map(Object.entries(value)) : value;
}

/** @throws SafetensorsError if the value does not match */
function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new SafetensorsError(`its header is invalid: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** Returns what is wrong with the place of a tensor in a file of this size; undefined if nothing is. */
export function findExtentProblem({ dtype, shape, start, end }: TensorEntry, byteLength: number): string | undefined {
  if (end < start || end > byteLength) return "lies outside of the file";
  const size: number | undefined = ELEMENT_BYTES[dtype as keyof typeof ELEMENT_BYTES];
  if (size === undefined || countElements(shape) * size === end - start) return undefined;
  return `is ${dtype} [${shape.join(", ")}] in ${end - start} bytes`;
}

function parseJson({ buffer, byteOffset, byteLength }: Uint8Array): unknown {
  try {
    // This Buffer is a view, not a copy: a header with many rows has megabytes.
    return JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString());
  } catch {
    return undefined;
  }
}
