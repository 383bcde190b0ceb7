import { afterAll, beforeAll, expect, it } from "vitest";
import { DEFAULT_SAMPLING, LOGPROB_CONTENTS } from "../../../src/facts/recorded-sampling.js";
import { readSafetensors } from "../../helpers/safetensors.js";
import type { EngineName } from "./install-engine.js";
import { recompute } from "./recompute.js";
import { openRig, type Rig, type RigTarget } from "./rig.js";

/** Both compute in float32. */
const TOLERANCE = 1e-5;
const MAX_KEPT = 64;

export interface MasksOptions {
  readonly engine: EngineName;
  /** Returns a server that returns sampling masks. */
  readonly open: () => Promise<RigTarget & { readonly python?: string | undefined }>;
}

const schema = { type: "object", properties: { a: { type: "boolean" } }, required: ["a"], additionalProperties: false };

/** Fields of calls. All have a top-k. */
const CALLS: readonly Readonly<Record<string, unknown>>[] = [
  { top_k: 5, ignore_eos: true },
  { top_k: 5, ignore_eos: true, stream: true, temperature: 1.3 },
  { top_k: 20, ignore_eos: true, top_p: 0.6 },
  { top_k: 20, ignore_eos: true, top_p: 0.6, n: 2, temperature: 1.3 },
  { top_k: 20, ignore_eos: true, min_p: 0.3, stream: true },
  { top_k: 20, response_format: { type: "json_schema", json_schema: { name: "x", schema } } },
];

interface Row {
  readonly prompt: readonly number[];
  readonly output: readonly number[];
  readonly logprobs: readonly number[];
  readonly kept: readonly (readonly number[])[];
  readonly isTruncated: boolean;
}

/**
 * Declares tests that truncated calls are recorded with the ids that each token was sampled from. From these, transformers must
 * compute the recorded log probabilities; from the whole vocabulary it must not.
 */
export function testMasks({ engine, open }: MasksOptions): void {
  let rig: Rig;
  let target: Awaited<ReturnType<MasksOptions["open"]>>;

  beforeAll(async () => {
    target = await open();
    rig = await openRig(engine, target, { "engine.sampling_masks": true, "engine.max_kept_tokens": MAX_KEPT });
  }, 600_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  /** Returns the rows of the calls, one for each choice. */
  async function record(fields: Readonly<Record<string, unknown>>): Promise<Row[]> {
    const session = await rig.session();
    const messages = [{ role: "user", content: "What is the sum of one and two, and why?" }];
    const { status, text } = await session.chat({ messages, max_tokens: 24, temperature: 1, ...fields });
    expect(status, text).toBe(200);
    await session.end();
    return exportRows(session.id);
  }

  async function exportRows(id: string): Promise<Row[]> {
    const response = await fetch(`${rig.server.url}/export_batch`, {
      method: "POST",
      headers: { authorization: `Bearer ${rig.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ session_ids: [id], layout: "packed", style: "individual" }),
    });
    expect(response.status).toBe(200);
    const { tensors } = readSafetensors(Buffer.from(await response.arrayBuffer()));
    const data = (name: string) => tensors[name]?.data ?? [];
    const [kept, offsets, ids, mask] = ["kept_ids", "kept_offsets", "input_ids", "loss_mask"].map(data);
    const bounds = data("cu_seqlens");
    return bounds.slice(1).map((end, row) => {
      const tokens = Array.from({ length: end - (bounds[row] ?? 0) }, (_, index) => (bounds[row] ?? 0) + index);
      const outputs = tokens.filter((token) => mask?.[token] === 1);
      return {
        prompt: tokens.filter((token) => mask?.[token] !== 1).map((token) => ids?.[token] ?? -1),
        output: outputs.map((token) => ids?.[token] ?? -1),
        logprobs: outputs.map((token) => data("logprobs")[token] ?? Number.NaN),
        kept: outputs.map((token) => (kept ?? []).slice(offsets?.[token], offsets?.[token + 1])),
        isTruncated: LOGPROB_CONTENTS[data("row_logprob_content")[row] ?? -1] === "truncated",
      };
    });
  }

  /** Returns the log probabilities that transformers computes among the ids of the masks, or of the whole vocabulary. */
  function compute(python: string, rows: readonly (Row & { temperature: number })[], isMasked: boolean): number[][] {
    const claims = rows.map(({ prompt, output, kept, temperature }) => ({
      engine,
      model: target.model,
      prompt,
      output,
      ...(isMasked && { kept }),
      sampling: { ...DEFAULT_SAMPLING, temperature, samplingTemperature: temperature },
      request: "{}",
    }));
    return recompute(python, claims);
  }

  const largestDifference = (rows: readonly Row[], computed: readonly (readonly number[])[]) =>
    Math.max(
      ...rows.flatMap(({ logprobs }, row) =>
        logprobs.map((logprob, at) => Math.abs(logprob - (computed[row]?.[at] ?? Number.NaN))),
      ),
    );

  it("are the ids from which transformers computes the recorded log probabilities", async ({ skip }) => {
    const { python } = target;
    if (python === undefined) return skip("the engine at --url has no Python environment here");
    const rows: (Row & { temperature: number; hasGrammar: boolean })[] = [];
    for (const fields of CALLS) {
      const [temperature, hasGrammar] = [Number(fields["temperature"] ?? 1), "response_format" in fields];
      for (const row of await record(fields)) {
        expect(row.isTruncated).toBe(true);
        row.output.forEach((id, at) => expect(row.kept[at]).toContain(id));
        expect(Math.max(...row.kept.map(({ length }) => length))).toBeLessThanOrEqual(Number(fields["top_k"]));
        rows.push({ ...row, temperature, hasGrammar });
      }
    }
    const tokens = rows.reduce((sum, { output }) => sum + output.length, 0);
    const masked = largestDifference(rows, compute(python, rows, true));
    // A grammar leaves out much more than top-k does.
    const free = rows.filter((row) => !row.hasGrammar);
    const whole = largestDifference(free, compute(python, free, false));
    process.stdout.write(`${tokens} tokens; largest difference ${masked}, of the whole vocabulary ${whole}\n`);
    expect(tokens).toBeGreaterThan(100);
    expect(masked).toBeLessThan(TOLERANCE);
    expect(whole).toBeGreaterThan(1e-2);
  }, 600_000);

  it("are not recorded for a call that leaves nothing out", async () => {
    const [row] = await record({});
    expect(row?.kept.every(({ length }) => length === 0)).toBe(true);
  }, 300_000);
}
