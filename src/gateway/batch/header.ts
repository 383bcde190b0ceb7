import { ApiError } from "../../http/errors.js";
import { type Dtype, ELEMENT_BYTES } from "./part.js";

/** A tensor of the batch, and how its bytes are made. */
export interface Column {
  readonly name: string;
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  readonly chunks: () => Iterable<Uint8Array>;
}

const ALIGNMENT = 64;
const LENGTH_BYTES = 8;
const MAX_HEADER_BYTES = 100_000_000;

/** Bytes of a tensor. */
export function byteLengthOf({ dtype, shape }: Column): number {
  return shape.reduce((product, extent) => product * extent, ELEMENT_BYTES[dtype]);
}

/**
 * The head of a safetensors file as the native core writes it: length, JSON, spaces up to a multiple of 64 bytes.
 *
 * @throws {@link ApiError} `batch_too_large` over the format's limit
 */
export function safetensorsHeader(columns: readonly Column[], metadata: Readonly<Record<string, string>>): Buffer {
  const entries: Record<string, unknown> = { __metadata__: metadata };
  let end = 0;
  for (const column of columns) {
    const from = end;
    end += byteLengthOf(column);
    entries[column.name] = { dtype: column.dtype, shape: column.shape, data_offsets: [from, end] };
  }
  const json = Buffer.from(JSON.stringify(entries));
  const size = Math.ceil((LENGTH_BYTES + json.length) / ALIGNMENT) * ALIGNMENT;
  if (size - LENGTH_BYTES > MAX_HEADER_BYTES) {
    const message = `The rows of the batch take ${json.length} bytes of header; safetensors allows ${MAX_HEADER_BYTES}.`;
    throw new ApiError("batch_too_large", message);
  }
  const header = Buffer.alloc(size, " ");
  header.writeBigUInt64LE(BigInt(size - LENGTH_BYTES), 0);
  json.copy(header, LENGTH_BYTES);
  return header;
}
