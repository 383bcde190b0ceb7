import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BatchFields } from "../../../src/client/admin-client.js";
import { readSafetensors, type SafeTensors } from "../../helpers/safetensors.js";
import { openRealEngine } from "../support/real-engine.js";
import { readOutputs, type WireOutput } from "../support/referee.js";
import { openRig, type Rig } from "../support/rig.js";

const engine = openRealEngine();
const SAMPLING = { temperature: 1, max_tokens: 24 };

let rig: Rig;

beforeAll(async () => {
  rig = await openRig(engine.name, engine, { "rollout.agent.chat_template_type": "concat" });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
});

interface Exported {
  readonly batch: SafeTensors;
  /** The engine's replies, one for each turn. The last two answer the same question, so they are branches. */
  readonly wire: readonly WireOutput[];
}

/** Runs a session of four turns and exports it. */
async function converse(fields: BatchFields): Promise<Exported> {
  const { id, chat, end } = await rig.session();
  const before = rig.referee.calls.length;
  const ask = async (messages: readonly object[]) => {
    const { status, text, choices } = await chat({ messages, ...SAMPLING });
    expect(status, text).toBe(200);
    return [...messages, { role: "assistant", content: choices[0]?.message.content ?? "" }];
  };
  const first = await ask([{ role: "user", content: "Tell me of mountains." }]);
  const second = await ask([...first, { role: "user", content: "And of valleys?" }]);
  await ask([...second, { role: "user", content: "What is between them?" }]);
  await ask([...second, { role: "user", content: "Which are the oldest?" }]);
  await end();
  const batch = readSafetensors(await rig.trainer.admin.exportBatch([id], fields));
  // A probe of vLLM's mode has a prompt of one token.
  return { batch, wire: readOutputs(rig.referee.calls.slice(before)).filter(({ prompt }) => prompt.length > 1) };
}

/** What a training row must have: the ids, and a log probability for each sampled token. */
interface Row {
  readonly ids: readonly number[];
  /** Undefined for tokens of the prompt. */
  readonly logprobs: readonly (number | undefined)[];
}

/** Returns the sequence that ends with a reply. Tokens that earlier replies sampled have their log probabilities. */
function toRow({ prompt, ids, logprobs }: WireOutput, ancestors: readonly WireOutput[]): Row {
  const row: (number | undefined)[] = [...prompt.map(() => undefined), ...logprobs];
  for (const each of ancestors) each.logprobs.forEach((value, index) => (row[each.prompt.length + index] = value));
  return { ids: [...prompt, ...ids], logprobs: row };
}

/** A child's prompt begins with the ids of its parent's prompt and reply. */
function findAncestors(child: WireOutput, wire: readonly WireOutput[]): WireOutput[] {
  const begins = (each: WireOutput) => [...each.prompt, ...each.ids].every((id, index) => child.prompt[index] === id);
  return wire.filter((each) => each !== child && begins(each));
}

function slice({ tensors }: SafeTensors, name: string, from: number, to: number): number[] {
  return (tensors[name]?.data ?? []).slice(from, to);
}

/** Reads tokens `from` to `to` of a batch as a row. */
function readRow(batch: SafeTensors, from: number, to: number): Row {
  const mask = slice(batch, "loss_mask", from, to);
  const logprobs = slice(batch, "logprobs", from, to);
  return {
    ids: slice(batch, "input_ids", from, to),
    logprobs: logprobs.map((value, index) => (mask[index] === 1 ? value : undefined)),
  };
}

function sorted(rows: readonly Row[]): Row[] {
  return [...rows].sort(
    (one, other) => one.ids.length - other.ids.length || one.ids.join().localeCompare(other.ids.join()),
  );
}

describe.each(["individual", "concat"] as const)("a session with a branch, in style %s", (style) => {
  const expected = ({ wire }: Exported) => {
    const rows = wire.map((each) => toRow(each, style === "concat" ? findAncestors(each, wire) : []));
    // The first two turns are continued, so they are no leaves.
    return sorted(style === "concat" ? rows.slice(2) : rows);
  };

  it("has the engine's numbers in padded rows", async () => {
    const exported = await converse({ style, layout: "padded" });
    const { batch } = exported;
    const [rows = 0, width = 0] = batch.tensors["input_ids"]?.shape ?? [];
    const read = Array.from({ length: rows }, (_, row) => {
      const length = slice(batch, "attention_mask", row * width, (row + 1) * width).filter((each) => each === 1).length;
      return readRow(batch, row * width, row * width + length);
    });
    expect(sorted(read)).toEqual(expected(exported));
  });

  it("has the engine's numbers in packed rows", async () => {
    const exported = await converse({ style, layout: "packed" });
    const { batch } = exported;
    const ends = batch.tensors["cu_seqlens"]?.data ?? [];
    const read = ends.slice(1).map((end, row) => readRow(batch, ends[row] ?? 0, end));
    expect(sorted(read)).toEqual(expected(exported));
  });
});

it("has the engine's numbers in a tree, each token once", async () => {
  const { batch, wire } = await converse({ layout: "tree" });
  const offsets = batch.tensors["node_offsets"]?.data ?? [];
  const parents = batch.tensors["node_parents"]?.data ?? [];
  const positions = batch.tensors["position_ids"]?.data ?? [];
  const sequence = (node: number): Row => {
    const own = readRow(batch, offsets[node] ?? 0, offsets[node + 1] ?? 0);
    const parent = parents[node] ?? -1;
    if (parent < 0) return own;
    const before = sequence(parent);
    const kept = positions[offsets[node] ?? 0] ?? 0;
    return {
      ids: [...before.ids.slice(0, kept), ...own.ids],
      logprobs: [...before.logprobs.slice(0, kept), ...own.logprobs],
    };
  };
  const read = parents.map((_, node) => sequence(node));
  expect(sorted(read)).toEqual(sorted(wire.map((each) => toRow(each, findAncestors(each, wire)))));
  // A turn's own tokens are those behind its parent's, which is the longest of its ancestors.
  const own = wire.map((each) => {
    const before = findAncestors(each, wire).map(({ prompt, ids }) => prompt.length + ids.length);
    return each.prompt.length + each.ids.length - Math.max(0, ...before);
  });
  const total = own.reduce((sum, length) => sum + length, 0);
  expect(batch.tensors["input_ids"]?.data).toHaveLength(total);
});
