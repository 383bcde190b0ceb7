import OpenAI from "openai";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseConfig } from "../../src/config/index.js";
import { type RunningServer, startServer } from "../../src/server/start.js";
import { numbers, type WireExport } from "../helpers/export-json.js";

/** The official SDK calls a running server with the embedded engine: real sockets, real sampling, nothing scripted. */

const adminKey = "sk-admin-0123456789abcdef";
let server: RunningServer;

beforeAll(async () => {
  const config = parseConfig({ server: { port: 0, shutdown_seconds: 1 } });
  server = await startServer(config, { adminKey, logger: pino({ level: "silent" }) });
});
afterAll(() => server.close());

async function admin(path: string, body: object = {}): Promise<Response> {
  return fetch(server.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function openSession(): Promise<{ id: string; client: OpenAI }> {
  await admin("/grant_capacity");
  const started = (await (await admin("/rl/start_session")).json()) as { session_id: string; session_api_key: string };
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: started.session_api_key, maxRetries: 0 });
  return { id: started.session_id, client };
}

async function exportSession(id: string, options: object = {}): Promise<WireExport> {
  return (await (await admin("/export_trajectories", { session_id: id, ...options })).json()) as WireExport;
}

describe("OpenAI's SDK", () => {
  it("holds a conversation whose exported tokens are the sampled ones", async () => {
    const { id, client } = await openSession();
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "hello" }];
    const ids: string[] = [];
    const cached: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      const completion = await client.chat.completions.create({
        model: "tiny",
        messages,
        max_tokens: 8,
        seed: turn,
        logprobs: true,
        top_logprobs: 3,
      });
      const [choice] = completion.choices;
      const entries = choice?.logprobs?.content ?? [];
      expect(entries).toHaveLength(completion.usage?.completion_tokens ?? -1);
      for (const entry of entries) {
        expect(entry.logprob).toBeLessThanOrEqual(0);
        expect(entry.top_logprobs).toHaveLength(3);
        const best = Math.max(...entry.top_logprobs.map((top) => top.logprob));
        expect(entry.logprob).toBeLessThanOrEqual(best + 1e-4);
      }
      cached.push(completion.usage?.prompt_tokens_details?.cached_tokens ?? -1);
      ids.push(completion.id);
      messages.push(
        { role: "assistant", content: choice?.message.content ?? "" },
        { role: "user", content: `turn ${turn}` },
      );
    }
    expect(cached[0]).toBe(0);
    expect(Math.min(...cached.slice(1))).toBeGreaterThan(0);
    await client.post("/../rl/set_reward", { body: { reward: 1 } });
    await client.post("/../rl/end_session", { body: {} });
    const exported = await exportSession(id, { discount: 0.5 });
    expect(Object.keys(exported.interactions)).toEqual(ids);
    expect(Object.values(exported.interactions).map((each) => each.reward)).toEqual([0.25, 0.5, 1]);
  });

  it("gets typed errors", async () => {
    const { client } = await openSession();
    const call = client.chat.completions.create({ model: "tiny", messages: [], n: 2 });
    await expect(call).rejects.toBeInstanceOf(OpenAI.BadRequestError);
    const stranger = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "sk-unknown-unknown", maxRetries: 0 });
    await expect(stranger.models.list()).rejects.toBeInstanceOf(OpenAI.AuthenticationError);
  });

  it("runs many sessions at once", async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, openSession));
    await Promise.all(
      sessions.map(async ({ client }, i) => {
        const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: `session ${i}` }];
        for (let turn = 0; turn < 3; turn++) {
          const { choices } = await client.chat.completions.create({ model: "tiny", messages, max_tokens: 6 });
          messages.push(
            { role: "assistant", content: choices[0]?.message.content ?? "" },
            { role: "user", content: "go on" },
          );
        }
        await client.post("/../rl/end_session", { body: {} });
      }),
    );
    for (const { id } of sessions) {
      const { interactions } = await exportSession(id);
      expect(Object.keys(interactions)).toHaveLength(3);
      for (const interaction of Object.values(interactions)) {
        const sampled = numbers(interaction, "loss_mask").reduce((sum, x) => sum + x, 0);
        expect(sampled).toBeGreaterThan(0);
        expect(sampled).toBeLessThanOrEqual(6);
      }
    }
  });
});
