import { ELEMENT_BYTES } from "../../support/safetensors/dtype.js";
import type { TensorSpec } from "../../support/safetensors/write-header.js";
import { int32Of, type PartTensor, tensorOf } from "./part.js";
import type { Segment, SegmentUnit } from "./segments.js";

/** A tensor of the batch, and how its bytes are made. */
export interface Column extends TensorSpec {
  readonly chunks: () => Iterable<Uint8Array>;
}

/** Made at once, per chunk, so that no turn of the event loop is long. */
export const CHUNK_BYTES = 1 << 18;

/** Values as they are in the parts, one stretch behind the other; nothing is copied. */
export function* slices(segments: readonly Segment[], name: string, per: SegmentUnit): Generator<Uint8Array> {
  for (const segment of segments) {
    const { dtype, bytes }: PartTensor = tensorOf(segment.part, name);
    const [from, to] = segment[per];
    yield bytes.subarray(from * ELEMENT_BYTES[dtype], to * ELEMENT_BYTES[dtype]);
  }
}

/**
 * int32 values that count rows or tokens of their part, made to count those of the batch. Negative ones stand for "none"
 * and stay.
 *
 * @param counts what the values count
 */
export function* shifted(
  segments: readonly Segment[],
  name: string,
  per: SegmentUnit,
  counts: SegmentUnit,
): Generator<Uint8Array> {
  let offset = 0;
  for (const segment of segments) {
    const [from, to] = segment[per];
    const shift = offset - segment[counts][0];
    const values = int32Of(segment.part, name).subarray(from, to);
    for (let at = 0; at < values.length; at += CHUNK_BYTES / 4) {
      yield bytesOf(values.slice(at, at + CHUNK_BYTES / 4).map((value) => (value < 0 ? value : value + shift)));
    }
    offset += segment[counts][1] - segment[counts][0];
  }
}

/** A column of values that are at hand. */
export function int32Column(name: string, values: Int32Array): Column {
  return { name, dtype: "I32", shape: [values.length], chunks: () => [bytesOf(values)] };
}

export function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** Returns the number of rows, tokens or turns of all segments. */
export function total(segments: readonly Segment[], per: SegmentUnit): number {
  return segments.reduce((sum, { [per]: [from, to] }) => sum + to - from, 0);
}
