import OpenAI from "openai";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { numbers, type WireExport, type WireInteraction } from "../helpers/export-json.js";
import { HttpTrainer } from "../helpers/http-trainer.js";
import type { Fault } from "../helpers/sglang/protocol.js";
import { type SglangServer, startSglangServer } from "../helpers/sglang/sglang-server.js";
import { until } from "../helpers/until.js";

/** A running proxy in front of a server that answers like SGLang. */

const adminKey = "sk-admin-0123456789abcdef";
let sglang: SglangServer;
let server: RunningServer;
let trainer: HttpTrainer;

beforeEach(async () => {
  sglang = await startSglangServer({ tokenMilliseconds: 10, weightVersionSpans: true, weightVersion: "4" });
  const config = parseConfig({
    server: { port: 0, shutdown_seconds: 0 },
    engine: { type: "sglang", urls: [sglang.url], timeout_seconds: 2 },
    model: { path: (await ensureTinyModel()).folder },
    rollout: { agent: { chat_template_type: "concat" } },
  });
  server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
  trainer = new HttpTrainer(server.url, adminKey);
});
afterEach(async () => {
  await server.close();
  await sglang.close();
});

async function readInteractions(id: string) {
  const reply = await trainer.post("/export_trajectories", { session_id: id });
  return Object.values(((await reply.json()) as WireExport).interactions);
}

describe("a proxy for SGLang", () => {
  it("sends prompts that continue the sampled ids, and exports the engine's ids and log probabilities", async () => {
    const id = await trainer.converse("rain", 3, {});
    const interactions = await readInteractions(id);
    const sent = sglang.to("/generate").map(({ json }) => json["input_ids"] as number[]);
    expect(interactions).toHaveLength(3);
    interactions.forEach((interaction, i) => {
      const ids = numbers(interaction, "input_ids");
      const promptLength = numbers(interaction, "loss_mask").indexOf(1);
      expect(ids.slice(0, promptLength)).toEqual(sent[i]);
      expect(sent[i + 1]?.slice(0, ids.length) ?? ids).toEqual(ids);
      expect(interaction.token_exact).toBe(i > 0);
    });
  });

  it("streams text while the engine samples", async () => {
    const { id, key } = await trainer.openSession();
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: key, maxRetries: 0 });
    const record = async () =>
      (await (await fetch(`${server.url}/rl/sessions/${id}`, { headers: { "x-api-key": adminKey } })).json()) as {
        interaction_count: number;
        completion_tokens: number;
      };
    const messages = [{ role: "user" as const, content: "rain" }];
    const stream = await client.chat.completions.create({ model: "tiny", messages, max_tokens: 24, stream: true });
    const recordedAt: number[] = [];
    let text = "";
    for await (const { choices } of stream) {
      const delta = choices[0]?.delta.content ?? "";
      if (delta !== "" && recordedAt.length === 0) recordedAt.push((await record()).interaction_count);
      text += delta;
      if (choices[0]?.finish_reason) recordedAt.push((await record()).interaction_count);
    }
    expect(recordedAt).toEqual([0, 1]);
    expect(text).not.toBe("");
    await trainer.post("/rl/end_session", {}, key);
    const [only] = await readInteractions(id);
    const sampled = numbers(only as WireInteraction, "loss_mask").reduce((sum, each) => sum + each, 0);
    expect(sampled).toBe((await record()).completion_tokens);
  });

  it("resumes a generation that a weight update cuts, and records a version per token", async () => {
    const { id, key } = await trainer.openSession();
    const call = trainer.chat(key, [{ role: "user", content: "hello" }], {});
    await until(() => sglang.scheduler.pendingTokens > 0);
    await fetch(`${sglang.url}/update_weight_version`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ new_version: "5", abort_all_requests: true }),
    });
    await call;
    await trainer.post("/rl/end_session", {}, key);
    const [only] = await readInteractions(id);
    if (!only) throw new Error("one interaction expected");
    const versions = numbers(only, "versions").filter((version) => version >= 0);
    expect(versions[0]).toBe(4);
    expect(versions.at(-1)).toBe(5);
    expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    expect(sglang.to("/generate")).toHaveLength(2);
  });

  it.each<[Fault, number]>([
    [{ kind: "status", status: 500 }, 502],
    [{ kind: "status", status: 400 }, 400],
    [{ kind: "close-before-headers" }, 502],
    [{ kind: "close-after-headers" }, 502],
    [{ kind: "truncated-json" }, 502],
    [{ kind: "length-mismatch" }, 502],
    [{ kind: "bad-logprob", text: "NaN" }, 502],
    [{ kind: "bad-logprob", text: "null" }, 502],
    [{ kind: "hang" }, 504],
  ])("returns an error for %j, and the session stays usable", async (fault, status) => {
    const { id, key } = await trainer.openSession();
    sglang.fault(fault);
    const failed = trainer.chat(key, [{ role: "user", content: "hello" }], {});
    await expect(failed).rejects.toThrow(`answered ${status}`);
    await trainer.chat(key, [{ role: "user", content: "hello" }], {});
    await trainer.post("/rl/end_session", {}, key);
    expect(await readInteractions(id)).toHaveLength(1);
  });
});
