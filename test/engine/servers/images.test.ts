import { describe, expect, it, onTestFinished } from "vitest";
import { type CallImage, type EncodedImage, type Engine, OtherPromptError } from "../../../src/engine/engine.js";
import { rendezvousOrder } from "../../../src/engine/servers/pool/rendezvous.js";
import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { VllmApi } from "../../../src/engine/vllm/vllm-options.js";
import { EngineVision } from "../../helpers/engine-vision.js";
import { digestOf, makePng } from "../../helpers/images.js";
import { startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { startVllmServer, type VllmServer } from "../../helpers/vllm/vllm-server.js";
import { makeCall } from "../generate-call.js";

/** Calls whose prompts have images: one image token each, or all of its tokens, goes to the server. */

const TOKEN = 500;
const GENERATE = "/inference/v1/generate";
const common = { timeoutSeconds: 0, maxInflight: 8, healthSeconds: 0 };

const encoded = (gray: number): EncodedImage => {
  const file = makePng(112, 56, gray);
  return { sha256: digestOf(file), mediaType: "image/png", file };
};

/** Of 28 by 28 pixels each. */
const TOKENS = 8;
const ids = [1, ...Array<number>(TOKENS).fill(TOKEN), 2];
const callWith = (image: EncodedImage, length = TOKENS, rest = {}) => ({
  ...makeCall([1, ...Array<number>(length).fill(TOKEN), 2], { maxTokens: 3 }, rest),
  images: [{ ...image, offset: 1, length } satisfies CallImage],
});

function closing<T extends { close(): Promise<void> }>(item: T): T {
  onTestFinished(() => item.close());
  return item;
}

async function startVllm(options: { scaleOut?: boolean; api?: VllmApi } = {}) {
  const vision = new EngineVision(TOKEN);
  const server = closing(await startVllmServer({ vision, scaleOut: options.scaleOut ?? true }));
  const engine = closing(createVllmEngine({ ...common, urls: [server.url], api: options.api }));
  const sent = () => server.to(GENERATE).map(({ json }) => json);
  return { vision, server, engine, sent };
}

describe("an image of a call to vLLM", () => {
  it("is sent once, then its digest with all of its tokens", async () => {
    const { vision, engine, sent } = await startVllm();
    for (const _ of ["first", "second"]) await engine.generate(callWith(encoded(1)));
    const [first, second] = sent();
    expect([first?.["token_ids"], first?.["features"]]).toEqual([[1, TOKEN, 2], undefined]);
    expect(first?.["content_parts"]).toEqual([
      { type: "image_url", url: expect.stringMatching(/^data:image\/png;base64,/) as unknown, uuid: encoded(1).sha256 },
    ]);
    expect([second?.["token_ids"], second?.["content_parts"]]).toEqual([ids, undefined]);
    expect(second?.["features"]).toEqual({
      mm_hashes: { image: [encoded(1).sha256] },
      mm_placeholders: { image: [{ offset: 1, length: TOKENS }] },
    });
    expect(vision.received).toBe(1);
  });

  it("is sent again if the server has lost it", async () => {
    const { vision, engine, sent } = await startVllm();
    await engine.generate(callWith(encoded(1)));
    vision.forget();
    await engine.generate(callWith(encoded(1)));
    expect([vision.received, sent().length]).toEqual([2, 3]);
  });

  it("is followed by the output so far after a cut", async () => {
    const { server, engine, sent } = await startVllm();
    server.fault({ kind: "abort", after: 2 });
    const call = callWith(encoded(1));
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    expect(sent()[1]?.["token_ids"]).toEqual([...ids, ...call.generation.ids().slice(0, 2)]);
  });

  it("must have the tokens that the prompt has", async () => {
    const { engine } = await startVllm();
    const failed = engine.generate(callWith(encoded(1), TOKENS - 1));
    await expect(failed).rejects.toBeInstanceOf(OtherPromptError);
    await expect(failed).rejects.toThrow("The engine used another prompt");
  });

  it("must have those very tokens, also if they are as many", async () => {
    const ids = (tokens: number) => [TOKEN, ...Array<number>(tokens - 1).fill(TOKEN + 1)];
    const server = closing(await startVllmServer({ vision: new EngineVision(TOKEN, {}, ids), scaleOut: true }));
    const engine = closing(createVllmEngine({ ...common, urls: [server.url] }));
    await expect(engine.generate(callWith(encoded(1)))).rejects.toBeInstanceOf(OtherPromptError);
  });

  it("needs the endpoint that takes images", async () => {
    const { engine } = await startVllm({ scaleOut: false });
    await expect(engine.generate(callWith(encoded(1)))).rejects.toThrow("Start it with `--enable-scale-out`.");
  });
});

describe("an image of a call to SGLang", () => {
  it("is sent with one image token", async () => {
    const server = closing(await startSglangServer({ vision: new EngineVision(TOKEN) }));
    const engine = closing(createSglangEngine({ ...common, urls: [server.url] }));
    server.fault({ kind: "abort", after: 2 });
    const call = callWith(encoded(1));
    expect(await engine.generate(call)).toMatchObject({ resumes: 1 });
    const [first, second] = server.to("/generate").map(({ json }) => json);
    expect(first?.["input_ids"]).toEqual([1, TOKEN, 2]);
    expect(first?.["image_data"]).toEqual([expect.stringMatching(/^data:image\/png;base64,/)]);
    expect(second?.["input_ids"]).toEqual([1, TOKEN, 2, ...call.generation.ids().slice(0, 2)]);
  });

  it("must have the tokens that the prompt has", async () => {
    const server = closing(await startSglangServer({ vision: new EngineVision(TOKEN) }));
    const engine = closing(createSglangEngine({ ...common, urls: [server.url] }));
    const failed = engine.generate(callWith(encoded(1), TOKENS - 1));
    await expect(failed).rejects.toBeInstanceOf(OtherPromptError);
    await expect(failed).rejects.toThrow(`it has ${ids.length} tokens, not ${ids.length - 1}`);
  });

  it("is sent after a request that shows whether the server tokenizes again", async () => {
    const server = closing(await startSglangServer({ vision: new EngineVision(TOKEN) }));
    const engine = closing(createSglangEngine({ ...common, urls: [server.url] }));
    const texts = ["", "q", "u", "qu"];
    await engine.generate(callWith(encoded(1), TOKENS, { tokenBytes: (id: number) => Buffer.from(texts[id] ?? "") }));
    expect(server.to("/generate").map(({ json }) => json["input_ids"])).toEqual([
      [1, 2, 1, TOKEN, 2],
      [1, TOKEN, 2],
    ]);
  });
});

describe("the tokens of an image", () => {
  const expand = (engine: Engine, options: { affinityKey?: string; abort?: AbortSignal } = {}) => {
    if (!engine.expandImage) throw new Error("the engine does not tell");
    return engine.expandImage(encoded(1), { tokenId: TOKEN, affinityKey: "key", ...options });
  };

  it("are those that a vLLM server puts into a prompt", async () => {
    const { engine, sent } = await startVllm();
    expect(Array.from(await expand(engine))).toEqual(Array<number>(TOKENS).fill(TOKEN));
    expect(sent()).toHaveLength(1);
  });

  it("are not told by SGLang", async () => {
    const engine = closing(createSglangEngine({ ...common, urls: ["http://127.0.0.1:1"] }));
    expect(engine.expandImage).toBeUndefined();
  });

  it("are not told by an endpoint that takes no images", async () => {
    const { engine } = await startVllm({ api: "completions" });
    await expect(expand(engine)).rejects.toThrow(
      "vLLM takes the images of a prompt of token ids at /inference/v1/generate only.",
    );
    const closed = await startVllm({ scaleOut: false });
    await expect(expand(closed.engine)).rejects.toThrow("HTTP 403");
  });

  async function startPair() {
    const vision = new EngineVision(TOKEN);
    const servers = [await startVllmServer({ vision }), await startVllmServer({ vision })].map(closing);
    const urls = servers.map(({ url }) => url);
    const engine = closing(createVllmEngine({ ...common, urls }));
    let n = 0;
    while (rendezvousOrder(`key-${n}`, urls)[0] !== urls[0]) n++;
    const asked = () => servers.map((server: VllmServer) => server.to(GENERATE).length);
    return { engine, servers, urls, affinityKey: `key-${n}`, asked };
  }

  it("are asked of the session's server, and of another if that one cannot be reached", async () => {
    const { engine, servers, affinityKey, asked } = await startPair();
    await expand(engine, { affinityKey });
    expect(asked()).toEqual([1, 0]);
    await servers[0]?.close();
    await expand(engine, { affinityKey });
    expect(asked()).toEqual([1, 1]);
    await servers[1]?.close();
    await expect(expand(engine, { affinityKey })).rejects.toMatchObject({ code: "engine_unavailable" });
  });

  it("are not asked of another server if the first one refuses", async () => {
    const { engine, servers, affinityKey, asked } = await startPair();
    servers[0]?.fault({ kind: "refused", message: "no room" });
    await expect(expand(engine, { affinityKey })).rejects.toThrow("no room");
    expect(asked()).toEqual([1, 0]);
  });

  it("are asked of servers that are not being drained", async () => {
    const { engine, urls, affinityKey, asked } = await startPair();
    await engine.servers?.drain(urls[0] ?? "");
    await expand(engine, { affinityKey });
    expect(asked()).toEqual([0, 1]);
    await engine.servers?.drain(urls[1] ?? "");
    await expect(expand(engine, { affinityKey })).rejects.toThrow("Every engine server is being drained.");
  });

  it("are asked after a pause, unless the caller leaves", async () => {
    const { engine, sent } = await startVllm();
    await engine.servers?.pause("abort");
    const caller = new AbortController();
    const leaving = expand(engine, { abort: caller.signal });
    const staying = expand(engine);
    caller.abort(new Error("left"));
    await expect(leaving).rejects.toThrow("left");
    expect(sent()).toHaveLength(0);
    await engine.servers?.resume();
    expect((await staying).length).toBe(TOKENS);
  });

  it("are not waited for when the caller has left", async () => {
    const { engine, server } = await startVllm();
    server.fault({ kind: "hang" });
    const caller = new AbortController();
    const failed = expand(engine, { abort: caller.signal });
    await expect.poll(() => server.to(GENERATE).length).toBe(1);
    caller.abort(new Error("left"));
    await expect(failed).rejects.toThrow("left");
  });
});
