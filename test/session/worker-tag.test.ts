import { expect, it } from "vitest";
import {
  MAX_BATCH_ID,
  newBatchId,
  newWorkerTag,
  readBatchTags,
  readKeyTag,
  readSessionTag,
  WORKER_TAG,
} from "../../src/session/worker-tag.js";

const SECRET = "0123456789abcdef";

it("finds the tag of a worker in its keys and session ids, and none in others", () => {
  const tag = newWorkerTag();
  expect(tag).toMatch(WORKER_TAG);
  expect([`sk-${tag}.${SECRET}`, `sk-${SECRET}`, `sk-${tag}.short`].map(readKeyTag)).toEqual([
    tag,
    undefined,
    undefined,
  ]);
  expect([`a-b-${tag}-12`, "math-12", "-w1-x"].map(readSessionTag)).toEqual([tag, undefined, undefined]);
});

it("finds the workers of a batch in its id, each once, unless they are too many", () => {
  expect(readBatchTags(newBatchId(["w1", "w2", "w1"]))).toEqual(["w1", "w2"]);
  expect([newBatchId([]), "batch-1.w1"].map(readBatchTags)).toEqual([undefined, undefined]);
  const [bare, tag] = [newBatchId([]).length, "x".repeat(32)];
  const most = Math.floor((MAX_BATCH_ID - bare) / (tag.length + 1));
  expect(newBatchId(Array<string>(most).fill(tag))).toHaveLength(bare + most * (tag.length + 1));
  expect(newBatchId(Array<string>(most + 1).fill(tag))).toHaveLength(bare);
  const rest = MAX_BATCH_ID - bare - 1;
  expect([newBatchId(["x".repeat(rest)]).length, newBatchId(["x".repeat(rest + 1)]).length]).toEqual([
    MAX_BATCH_ID,
    bare,
  ]);
});
