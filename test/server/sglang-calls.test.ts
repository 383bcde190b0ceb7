import { afterEach, describe, expect, it } from "vitest";
import { createSglangEngine } from "../../src/engine/index.js";
import { Proxy } from "../helpers/proxy.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { readData } from "../helpers/sse.js";

/** Calls through a proxy, where SGLang does something else than other engines. */

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const item of open.splice(0).reverse()) await item.close();
});

async function start(serverInfo: Readonly<Record<string, unknown>> = {}) {
  const server = await startSglangServer({ serverInfo });
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 2 });
  const proxy = await Proxy.start({ engine });
  open.push(server, engine, proxy);
  const session = await proxy.session();
  const recorded = () => proxy.context.registry.get(session.id).interaction(0).sampling;
  const sent = () => server.to("/generate")[0]?.json["sampling_params"];
  return { server, proxy, session, recorded, sent };
}

const messages = [{ role: "user", content: "a" }];
const contents = [{ role: "user", parts: [{ text: "a" }] }];
const GEMINI = "/v1beta/models/tiny:generateContent";

describe("a seed", () => {
  const requests: [path: string, body: object, field: string][] = [
    ["/v1/chat/completions", { messages, seed: 7 }, "seed"],
    ["/v1/responses", { input: "a", seed: 7 }, "seed"],
    ["/v1/messages", { messages, max_tokens: 9, seed: 7 }, "seed"],
    [GEMINI, { contents, generationConfig: { seed: 7 } }, "generationConfig.seed"],
  ];
  it.each(requests)("that the server ignores is named in a header and not recorded: %s", async (path, body, field) => {
    const { proxy, session, recorded } = await start({ enable_deterministic_inference: false });
    const reply = await proxy.post(path, body, session.key);
    expect([reply.status, reply.headers["x-rolltape-not-enforced"]]).toEqual([200, field]);
    expect(recorded()?.seed).toBeUndefined();
  });

  it("is named once for several choices, and in a streamed answer", async () => {
    const { proxy, session } = await start();
    for (const fields of [{ n: 3 }, { stream: true }]) {
      const reply = await proxy.chat(session, messages, { seed: 7, ...fields });
      expect(reply.headers["x-rolltape-not-enforced"]).toBe("seed");
    }
  });

  it("is recorded if the server samples deterministically", async () => {
    const { proxy, session, recorded, sent } = await start({ enable_deterministic_inference: true });
    const reply = await proxy.chat(session, messages, { seed: 7 });
    expect(reply.headers["x-rolltape-not-enforced"]).toBeUndefined();
    expect(recorded()?.seed).toBe(7);
    expect(sent()).toMatchObject({ sampling_seed: 7 });
  });
});

describe("top_k 1", () => {
  it("is sent and recorded as greedy, because SGLang does not always divide by the temperature", async () => {
    const { proxy, session, recorded, sent } = await start();
    await proxy.chat(session, messages, { top_k: 1, temperature: 2 });
    expect(sent()).toMatchObject({ temperature: 0, top_k: 1 });
    expect(recorded()).toMatchObject({ greedy: true, temperature: 1, samplingTemperature: 0, topK: 1 });
  });

  it.each([0, 2])("differs from top_k %d, which keeps the temperature", async (top_k) => {
    const { proxy, session, recorded, sent } = await start();
    await proxy.chat(session, messages, { top_k, temperature: 2 });
    expect(sent()).toMatchObject({ temperature: 2 });
    expect(recorded()).toMatchObject({ greedy: false, temperature: 2, samplingTemperature: 2, topK: top_k });
  });
});

describe("the token ids of a call that a weight update cuts", () => {
  interface Chunk {
    readonly choices: readonly [{ readonly token_ids?: number[]; readonly weight_version?: number }];
  }

  it.each([false, true])("are those of all its requests; streamed: %s", async (stream) => {
    const { server, proxy, session } = await start();
    server.fault({ kind: "abort", after: 3 });
    const asked = { return_token_ids: true, max_tokens: 8, ignore_eos: true, stream };
    const text = (await proxy.chat(session, messages, asked)).raw.toString();
    const chunks = stream ? readData<Chunk>(text) : [JSON.parse(text) as Chunk];
    const output = proxy.context.registry.get(session.id).tokens.output(0);
    expect(server.to("/generate")).toHaveLength(2);
    expect(output.ids).toHaveLength(8);
    expect(chunks.flatMap(({ choices }) => choices[0].token_ids ?? [])).toEqual([...output.ids]);
    expect(chunks.at(-1)?.choices[0].weight_version).toBe(output.versions[0]);
  });
});

describe("a streamed request that the server refuses", () => {
  it.each([
    ["/v1/chat/completions", { messages, stream: true }],
    ["/v1/messages", { messages, max_tokens: 9, stream: true }],
  ])("is a 400, which clients do not repeat: %s", async (path, body) => {
    const { server, proxy, session } = await start();
    server.fault({ kind: "bad-grammar", message: "Failed to compile regex grammar: parsing error" });
    const reply = await proxy.post(path, body, session.key);
    expect(reply.refusal).toBe("400 engine_rejected_request");
    expect(reply.raw.toString()).toContain("Failed to compile regex grammar");
    expect(server.to("/generate")).toHaveLength(1);
  });
});
