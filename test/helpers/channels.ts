import { expect } from "vitest";
import type { ChannelSpec, NativeGeneration } from "../../src/native/contract.js";
import type { SafeTensors } from "./safetensors.js";

/** Three channels whose items follow from the tokens: of outputs, of all tokens but the last of a sequence, and a ragged one. */

const WIDE: ChannelSpec = { name: "wide", dtype: "F32", shape: [7], of: "output" };
const EXPERTS: ChannelSpec = { name: "experts", dtype: "U8", shape: [48, 8], of: "sequence" };
const KEPT: ChannelSpec = { name: "kept_ids", dtype: "I32", shape: [], offsets: "kept_offsets", of: "output" };

const range = (count: number) => Array.from({ length: count }, (_, i) => i);
const wideItem = (id: number) => range(7).map((i) => id + i / 8);
const expertsItem = (id: number, position: number) => range(48 * 8).map((i) => (id * 31 + position * 7 + i) % 256);
const keptItems = (id: number) => range(id % 4).map((i) => id + i);

const bytesOf = (values: Float32Array | Int32Array | Uint8Array) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

/** Channels of a call, as `RecordInput` takes them. */
export function testChannels(prompt: Int32Array, output: Int32Array) {
  const sequence = [...prompt, ...output].slice(0, -1);
  const counts = Uint32Array.from(output, (id) => keptItems(id).length);
  return [
    { channel: WIDE, first: 0, values: bytesOf(Float32Array.from([...output].flatMap(wideItem))) },
    { channel: EXPERTS, first: 0, values: Uint8Array.from(sequence.flatMap(expertsItem)) },
    { channel: KEPT, first: 0, values: bytesOf(Int32Array.from([...output].flatMap(keptItems))), counts },
  ];
}

export function giveChannels(generation: NativeGeneration, prompt: Int32Array, output: Int32Array): void {
  for (const { channel, first, values, counts } of testChannels(prompt, output)) {
    generation.addChannel(channel, first, values, counts);
  }
}

/** Requires the items of every token. All calls of the sessions must have given them, and no output may be forced. */
export function expectChannels({ metadata, tensors }: SafeTensors): void {
  const [ids, mask] = [numbers(tensors, "input_ids"), numbers(tensors, "loss_mask")];
  const { positions, isLast } = readPositions(metadata["layout"], tensors);
  const [wide, experts, kept] = ["wide", "experts", "kept_ids"].map((name) => numbers(tensors, name));
  const offsets = numbers(tensors, "kept_offsets");
  for (const [i, id] of ids.entries()) {
    const position = positions[i];
    const isOutput = mask[i] === 1;
    const hasExperts = position !== undefined && !isLast[i];
    expect(wide?.slice(i * 7, i * 7 + 7)).toEqual(isOutput ? wideItem(id) : Array<number>(7).fill(0));
    expect(numbers(tensors, "wide_mask")[i]).toBe(isOutput ? 1 : 0);
    expect(experts?.slice(i * 384, i * 384 + 384)).toEqual(
      hasExperts ? expertsItem(id, position) : Array<number>(384).fill(0),
    );
    expect(numbers(tensors, "experts_mask")[i]).toBe(hasExperts ? 1 : 0);
    expect(kept?.slice(offsets[i], offsets[i + 1])).toEqual(isOutput ? keptItems(id) : []);
  }
  expect(offsets).toHaveLength(ids.length + 1);
  expect(offsets.at(-1)).toBe(kept?.length);
}

type Tensors = SafeTensors["tensors"];

function numbers(tensors: Tensors, name: string): readonly number[] {
  const tensor = tensors[name];
  if (!tensor) throw new Error(`no tensor ${name}`);
  return tensor.data;
}

/** Returns the position of each token in its sequence (undefined: padding), and whether it is the last one of a row or node. */
function readPositions(layout: string | undefined, tensors: Tensors) {
  const bounds = layout === "packed" ? "cu_seqlens" : "node_offsets";
  if (layout !== "padded") {
    const isLast: boolean[] = [];
    for (const end of numbers(tensors, bounds).slice(1)) isLast[end - 1] = true;
    return { positions: numbers(tensors, "position_ids"), isLast };
  }
  const attended = numbers(tensors, "attention_mask");
  const [, width = 0] = tensors["attention_mask"]?.shape ?? [];
  let position = 0;
  const positions = attended.map((isToken, i) => {
    if (i % width === 0) position = 0;
    return isToken === 1 ? position++ : undefined;
  });
  const isLast = positions.map((_, i) => i % width === width - 1 || positions[i + 1] === undefined);
  return { positions, isLast };
}
