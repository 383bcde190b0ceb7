import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Message } from "../../src/conversation/message.js";
import { native } from "../../src/native/addon.js";
import type { Session } from "../../src/session/session.js";
import { Proxy } from "../helpers/proxy.js";
import { recordTurn } from "../helpers/record-turn.js";
import { readSafetensors } from "../helpers/safetensors.js";

const CALLS = 5000;
const TOKENS = 2 * CALLS;
const DISCOUNT = 0.999;

let proxy: Proxy;
let id: string;
beforeAll(async () => {
  proxy = await Proxy.start();
  proxy.context.registry.grant(1);
  const { session } = proxy.context.registry.start({});
  for (let call = 0; call < CALLS; call++) recordCall(session, call);
  session.end();
  ({ id } = session);
}, 300_000);
afterAll(() => proxy.close());

const versionAt = (call: number) => Math.floor(call / 100);
const logprobAt = (call: number) => -(call + 1) / 8192;
const rewardAt = (call: number): number => (call % 1000 === 999 ? 1 : 0);

/** Continues the previous call with one input token, 2 × `call`, and one output token, the next number. */
function recordCall(session: Session, call: number): void {
  const generation = new native.Generation();
  generation.append(Int32Array.of(2 * call + 1), Float32Array.of(logprobAt(call)), versionAt(call));
  const messages: Message[] = [{ role: "user", content: "go on" }];
  const { id } = recordTurn(
    session,
    { messages },
    { output: [], generation, id: `call-${call}` },
    { pieces: [Int32Array.of(2 * call)], continues: call > 0 ? { index: call - 1, rule: "messages" } : undefined },
  );
  if (rewardAt(call) > 0) session.setReward(rewardAt(call), id);
}

async function exported(options: object) {
  const reply = await proxy.post("/export_batch", { session_ids: [id], discount: DISCOUNT, ...options });
  return readSafetensors(reply.raw).tensors;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);
const calls = upTo(CALLS);

/** Computes final rewards in float64 from the last call back. In float32, the last digits would be lost. */
function finalRewards(): number[] {
  const rewards = calls.map(rewardAt);
  for (let call = CALLS - 2; call >= 0; call--) rewards[call] = rewardAt(call) + (rewards[call + 1] ?? 0) * DISCOUNT;
  return rewards.map(Math.fround);
}

/** Returns one value per token: `prompt` for input tokens, and `output(call)` for the call's output token. */
const perToken = (prompt: number, output: (call: number) => number) => calls.flatMap((call) => [prompt, output(call)]);

describe(`a chain of ${CALLS} calls`, () => {
  it("is one row of concat", async () => {
    const tensors = await exported({ style: "concat" });
    expect(tensors["input_ids"]).toEqual({ dtype: "I32", shape: [1, TOKENS], data: upTo(TOKENS) });
    expect(tensors["loss_mask"]?.data).toEqual(perToken(0, () => 1));
    expect(tensors["logprobs"]?.data).toEqual(perToken(0, logprobAt));
    expect(tensors["versions"]?.data).toEqual(perToken(-1, versionAt));
    expect(tensors["rewards"]?.data).toEqual(finalRewards().slice(-1));
  });

  it("is one tree with every token once", async () => {
    const tensors = await exported({ layout: "tree" });
    expect(tensors["input_ids"]?.data).toEqual(upTo(TOKENS));
    expect(tensors["position_ids"]?.data).toEqual(upTo(TOKENS));
    expect(tensors["subtree_end"]?.data).toEqual(upTo(TOKENS).map(() => TOKENS));
    expect(tensors["loss_mask"]?.data).toEqual(perToken(0, () => 1));
    expect(tensors["versions"]?.data).toEqual(perToken(-1, versionAt));
    expect(tensors["cu_trees"]?.data).toEqual([0, TOKENS]);
    expect(tensors["node_offsets"]?.data).toEqual([...calls.map((call) => 2 * call), TOKENS]);
    expect(tensors["node_parents"]?.data).toEqual(calls.map((call) => call - 1));
    expect(tensors["node_lengths"]?.data).toEqual(calls.map((call) => 2 * call + 2));
    expect(tensors["node_rewards"]?.data).toEqual(finalRewards());
  });

  it("is one individual row per call, each truncated to max_length", async () => {
    const tensors = await exported({ max_length: 20, overflow: "truncate" });
    const rows = calls.map((call) => upTo(Math.min(20, 2 * call + 2)));
    const padded = (row: number[], filler: number) => [...row, ...Array<number>(20 - row.length).fill(filler)];
    expect(tensors["input_ids"]?.data).toEqual(rows.flatMap((row) => padded(row, 0)));
    const own = (call: number) => upTo(20).map((place) => Number(place === 2 * call + 1));
    expect(tensors["loss_mask"]?.data).toEqual(calls.flatMap(own));
    expect(tensors["rewards"]?.data).toEqual(finalRewards());
  });
});
