import type { ChannelSpec } from "../../src/native/contract.js";
import type { ChannelInput } from "../../src/session/trajectory-store.js";
import type { TrueCall } from "./recorded-run.js";

/** The experts of a token in layers 1 and 2; layer 0 is dense. */
export const expertsOf = (id: number): number[] => [0, 0, id % 8, (id + 1) % 8, (id + 2) % 8, (id + 3) % 8];
/** The tokens that an output was sampled from: none, itself, or itself and the next ones. */
export const keptOf = (id: number): number[] => Array.from({ length: id % 4 }, (_, i) => id + i);
export const teacherOf = (id: number): number => -id / 8;
export const alternativesOf = (id: number) => ({ ids: [id, -1], logprobs: [-0.25, -Infinity] });
export const FIXED_IDS = [7, 9];
export const fixedOf = (id: number): number[] => [-(id % 16) / 8, -Infinity];
export const advantagesOf = (id: number): number[] => [id, id / 2, id / 4, id / 8];

const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
const int32 = (values: number[]) => bytesOf(Int32Array.from(values));
const float32 = (values: number[]) => bytesOf(Float32Array.from(values));

/** The items of every kind of channel that a call records: of the whole sequence, of outputs, ragged, and one of a trainer. */
export function recordedChannels({ prompt, output }: TrueCall): readonly ChannelInput[] {
  const sequence = [...prompt, ...output];
  const ofOutput = (spec: Omit<ChannelSpec, "of">, values: Uint8Array, counts?: Uint32Array): ChannelInput => ({
    channel: { ...spec, of: "output" },
    first: 0,
    values,
    counts,
  });
  return [
    {
      channel: { name: "routed_experts", dtype: "U8", shape: [3, 2], of: "sequence" },
      first: 0,
      values: Uint8Array.from(sequence.slice(0, -1).flatMap(expertsOf)),
    },
    {
      channel: { name: "teacher_big_logprobs", dtype: "F32", shape: [], of: "sequence" },
      first: 1,
      values: float32(sequence.slice(1).map(teacherOf)),
    },
    ofOutput(
      { name: "kept_ids", dtype: "I32", shape: [], offsets: "kept_offsets" },
      int32(output.flatMap(keptOf)),
      Uint32Array.from(output, (id) => keptOf(id).length),
    ),
    ofOutput({ name: "top_ids", dtype: "I32", shape: [2] }, int32(output.flatMap((id) => alternativesOf(id).ids))),
    ofOutput(
      { name: "top_logprobs", dtype: "F32", shape: [2] },
      float32(output.flatMap((id) => alternativesOf(id).logprobs)),
    ),
    ofOutput(
      { name: "token_ids_logprobs", dtype: "F32", shape: [2], tokenIds: Int32Array.from(FIXED_IDS) },
      float32(output.flatMap(fixedOf)),
    ),
    ofOutput({ name: "advantages", dtype: "F32", shape: [2, 2] }, float32(output.flatMap(advantagesOf))),
  ];
}
