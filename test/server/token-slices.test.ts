import { expect, it, vi } from "vitest";
import { native } from "../../src/native/addon.js";
import type { TokenJson } from "../../src/protocols/token-json.js";
import { TokenSlices } from "../../src/server/call/token-slices.js";

const WIDTH = 2;

function createGeneration(count: number) {
  const generation = new native.Generation();
  const append = (from: number, to: number) => {
    const ids = Int32Array.from({ length: to - from }, (_, i) => from + i);
    generation.append(ids, new Float32Array(ids).fill(-0.5), 0);
    generation.appendTop(
      Int32Array.from({ length: ids.length * WIDTH }, (_, i) => from * WIDTH + i),
      new Float32Array(ids.length * WIDTH).fill(-1),
      WIDTH,
    );
  };
  append(0, count);
  return { generation, append, slices: new TokenSlices({} as TokenJson, generation, WIDTH) };
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

it("returns the tokens of each slice, in any order, while the generation grows", () => {
  const { append, slices } = createGeneration(10);
  const expectSlice = (from: number, to: number) => {
    const { ids, logprobs, top } = slices.read(from, to);
    expect([...ids]).toEqual(range(from, to));
    expect(logprobs).toHaveLength(to - from);
    expect([...(top?.ids ?? [])]).toEqual(range(from * WIDTH, to * WIDTH));
    expect(top?.logprobs).toHaveLength((to - from) * WIDTH);
  };
  expectSlice(0, 3);
  expectSlice(3, 10);
  append(10, 20);
  expectSlice(10, 12);
  expectSlice(4, 6);
  append(20, 21);
  expectSlice(12, 21);
  expectSlice(21, 21);
});

it("copies the rest of a long output once for all its slices", () => {
  const { generation, slices } = createGeneration(1000);
  const top = vi.spyOn(generation, "top");
  for (let from = 0; from < 1000; from += 10) slices.read(from, from + 10);
  expect(top).toHaveBeenCalledTimes(1);
});
