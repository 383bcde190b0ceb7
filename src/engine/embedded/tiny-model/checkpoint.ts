import { encodeHeader } from "../../../support/safetensors/write-header.js";
import { separateHeads } from "../weights/hugging-face/rotary-order.js";
import { toHuggingFaceName } from "../weights/hugging-face/tensor-names.js";
import { TINY } from "./architecture.js";
import type { GgmlTensor } from "./weights.js";

/** Returns the bytes of a safetensors file in Hugging Face's names and order of rows. */
export function encodeCheckpoint(tensors: readonly GgmlTensor[]): Buffer {
  const specs = tensors.map(({ name, shape }) => ({
    name: checkedName(name),
    dtype: "F32" as const,
    shape: shape.toReversed(),
  }));
  // transformers requires the format.
  return Buffer.concat([encodeHeader(specs, { format: "pt" }), ...tensors.map(readBytes)]);
}

function checkedName(name: string): string {
  const found = toHuggingFaceName(name);
  if (found === undefined) throw new Error(`${name} has no name in Hugging Face's files`);
  return found;
}

function readBytes({ name, shape: [columns = 0], data }: GgmlTensor): Uint8Array {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const isRotated = /\.attn_[qk]\.weight$/.test(name);
  return isRotated ? separateHeads(bytes, columns * data.BYTES_PER_ELEMENT, TINY.headWidth) : bytes;
}
