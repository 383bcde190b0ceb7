import type { Token } from "node-llama-cpp";
import { expect, it } from "vitest";
import { OutputWriter } from "../../../src/engine/embedded/output-writer.js";
import { native } from "../../../src/native/addon.js";

const CHUNK = 256;
const sampled = (id: number, top: { ids: number[]; logprobs: number[] } = { ids: [], logprobs: [] }) => ({
  id: id as Token,
  logprob: -id / 1024,
  top,
});
const upTo = (length: number) => Array.from({ length }, (_, index) => index);

it("adds tokens in chunks, and the rest when it is flushed", () => {
  const generation = new native.Generation();
  const writer = new OutputWriter(generation, 0, undefined);
  const lengths = upTo(2 * CHUNK + 3).map((id) => {
    writer.push(sampled(id));
    return generation.length;
  });
  expect([lengths[CHUNK - 2], lengths[CHUNK - 1], lengths[2 * CHUNK - 1], lengths.at(-1)]).toEqual([
    0,
    CHUNK,
    2 * CHUNK,
    2 * CHUNK,
  ]);
  for (const _ of ["once", "again"]) writer.flush();
  expect(Array.from(generation.ids())).toEqual(upTo(2 * CHUNK + 3));
  expect(Array.from(generation.logprobs())).toEqual(upTo(2 * CHUNK + 3).map((id) => (id === 0 ? -0 : -id / 1024)));
  expect(generation.top()).toBeUndefined();
});

it("adds tokens one by one if somebody listens", () => {
  const generation = new native.Generation();
  const lengths: number[] = [];
  const writer = new OutputWriter(generation, 0, () => void lengths.push(generation.length));
  for (const id of upTo(3)) writer.push(sampled(id));
  writer.flush();
  expect(lengths).toEqual([1, 2, 3]);
});

it("fills up alternatives that are missing", () => {
  const generation = new native.Generation();
  const writer = new OutputWriter(generation, 2, undefined);
  writer.push(sampled(1, { ids: [4, 5, 6], logprobs: [-0.5, -1, -2] }));
  writer.push(sampled(2, { ids: [7], logprobs: [-0.25] }));
  writer.push(sampled(3, { ids: [8, 9], logprobs: [-0.125, -3] }));
  writer.flush();
  const { width, ids = [], logprobs = [] } = generation.top() ?? {};
  expect([width, ...ids]).toEqual([2, 4, 5, 7, -1, 8, 9]);
  expect(Array.from(logprobs).filter((_, place) => place !== 3)).toEqual([-0.5, -1, -0.25, -0.125, -3]);
});

it("gives each token the version that was set before it", () => {
  const generation = new native.Generation();
  const writer = new OutputWriter(generation, 0, undefined);
  for (const version of [3, 3, 5]) {
    writer.setVersion(version);
    writer.push(sampled(version));
  }
  writer.flush();
  expect(Array.from(generation.versions())).toEqual([3, 3, 5]);
});
