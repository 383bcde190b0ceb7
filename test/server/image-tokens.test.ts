import { describe, expect, it, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createSglangEngine, createVllmEngine } from "../../src/engine/index.js";
import type { ServerSettings } from "../../src/server/settings.js";
import { EngineVision } from "../helpers/engine-vision.js";
import { dataUrl, digestOf, makePng } from "../helpers/images.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";
import { IMAGE_TOKEN } from "../helpers/vision-files.js";
import { writeVisionModel } from "../helpers/vision-model.js";
import type { VllmServerOptions } from "../helpers/vllm/context.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Prompts with images: their tokens, what the engines are sent, and what is recorded. */

const CHAT = "/v1/chat/completions";

/** 100 x 60 pixels are 2 x 4 tokens of 28 pixels, 40 x 200 are 7 x 1. */
const WIDE = makePng(100, 60);
const WIDE_TOKENS = 8;
const TALL = makePng(40, 200);
const TALL_TOKENS = 7;

const text = (value: string) => ({ type: "text", text: value });
const image = (file: Uint8Array) => ({ type: "image_url", image_url: { url: dataUrl(file) } });
const user = (...content: object[]) => ({ role: "user", content });

interface SentImages {
  readonly rid?: string;
  readonly token_ids?: number[];
  readonly input_ids?: number[];
  readonly image_data?: string[];
  readonly content_parts?: { url?: string; uuid: string }[];
  readonly features?: { mm_hashes: { image: string[] }; mm_placeholders: { image: object[] } };
  readonly logit_bias?: Record<string, number>;
  readonly sampling_params: { readonly logit_bias?: Record<string, number> };
}

interface Started {
  readonly proxy: Proxy<Engine>;
  readonly vision: EngineVision;
  readonly session: StartedSession;
  /** Bodies of the requests for generations. */
  sent(): SentImages[];
  send(messages: readonly object[], fields?: object): Promise<object[]>;
}

interface StartOptions extends Partial<ServerSettings> {
  /** How the engine sees images; null: not at all. */
  readonly sees?: EngineVision | null;
  /** Type of the model's image processor. */
  readonly processor?: string;
  readonly server?: VllmServerOptions;
}

async function start(
  name: "sglang" | "vllm",
  { sees = new EngineVision(IMAGE_TOKEN), processor, server: more = {}, ...settings }: StartOptions = {},
): Promise<Started> {
  const vision = sees ?? new EngineVision(IMAGE_TOKEN);
  const server = await (name === "sglang" ? startSglangServer : startVllmServer)(sees ? { vision, ...more } : {});
  const create = name === "sglang" ? createSglangEngine : createVllmEngine;
  const engine: Engine = create({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  const folder = await writeVisionModel(processor === undefined ? {} : { processor });
  const proxy = await Proxy.start({ engine, folder, settings: { images: "tokens", ...settings } });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  const session = await proxy.session();
  const path = name === "sglang" ? "/generate" : "/inference/v1/generate";
  return {
    proxy,
    vision,
    session,
    // A probe of SGLang has no id.
    sent: () =>
      server
        .to(path)
        .map(({ body }) => JSON.parse(body.toString()) as SentImages)
        .filter(({ rid }) => name === "vllm" || rid !== undefined),
    send: async (messages, fields) => {
      const reply = await proxy.post(CHAT, { messages, max_tokens: 8, ...fields }, session.key);
      expect({ status: reply.status, text: reply.raw.toString() }).toMatchObject({ status: 200 });
      const { choices } = reply.json<{ choices: [{ message: object }] }>();
      return [...messages, choices[0].message];
    },
  };
}

async function exportedIds({ proxy, session }: Started): Promise<number[][]> {
  await proxy.post("/rl/end_session", {}, session.key);
  const body = { session_ids: [session.id], style: "individual", layout: "packed" };
  const { tensors } = readSafetensors((await proxy.post("/export_batch", body)).raw);
  const bounds = tensors["cu_seqlens"]?.data ?? [];
  return bounds.slice(1).map((end, row) => tensors["input_ids"]?.data.slice(bounds[row], end) ?? []);
}

/** Returns the lengths of the runs of image tokens. */
function runsOf(ids: readonly number[]): number[] {
  const marked = ids.map((id) => (id === IMAGE_TOKEN ? "i" : ".")).join("");
  return (marked.match(/i+/g) ?? []).map((run) => run.length);
}

const collapsed = (ids: readonly number[]) => ids.filter((id, at) => id !== IMAGE_TOKEN || ids[at - 1] !== IMAGE_TOKEN);

describe.each(["hf", "concat"] as const)("with `chat_template_type: %s`", (chatTemplateType) => {
  const question = user(text("Compare "), image(WIDE), text(" and "), image(TALL));

  it("SGLang gets one token and the file for each image, and the record has all tokens", async () => {
    const started = await start("sglang", { chatTemplateType });
    const first = await started.send([question]);
    const second = await started.send([...first, user(text("And why?"))]);
    await started.send([...second, user(image(WIDE))]);
    const sent = started.sent();
    const rows = await exportedIds(started);
    const own = [WIDE_TOKENS, TALL_TOKENS];
    expect(rows.map(runsOf)).toEqual([own, own, [...own, WIDE_TOKENS]]);
    for (const [turn, row] of rows.entries()) {
      const ids = sent[turn]?.input_ids ?? [];
      expect(collapsed(row).slice(0, ids.length)).toEqual(ids);
    }
    const files = [WIDE, TALL].map(dataUrl);
    expect(sent.map(({ image_data: data }) => data)).toEqual([files, files, [...files, dataUrl(WIDE)]]);
  });

  it("vLLM gets each file once, then its digest and its place", async () => {
    const started = await start("vllm", { chatTemplateType });
    const first = await started.send([question]);
    const second = await started.send([...first, user(text("And why?"))]);
    started.vision.forget();
    await started.send([...second, user(text("Again."))]);
    const [one, two, refused, three] = started.sent();
    const [, row = []] = await exportedIds(started);
    expect(one?.content_parts?.map(({ uuid }) => uuid)).toEqual([digestOf(WIDE), digestOf(TALL)]);
    expect(runsOf(one?.token_ids ?? [])).toEqual([1, 1]);
    expect(two).not.toHaveProperty("content_parts");
    expect(two?.token_ids).toEqual(row.slice(0, two?.token_ids?.length));
    const offset = row.indexOf(IMAGE_TOKEN);
    expect(two?.features).toEqual({
      mm_hashes: { image: [digestOf(WIDE), digestOf(TALL)] },
      mm_placeholders: {
        image: [
          { offset, length: WIDE_TOKENS },
          { offset: row.indexOf(IMAGE_TOKEN, offset + WIDE_TOKENS), length: TALL_TOKENS },
        ],
      },
    });
    // The server has lost its cache, so it gets the files again.
    expect(refused).toHaveProperty("features");
    expect(three?.content_parts).toHaveLength(2);
    expect(started.vision.received).toBe(4);
  });

  it("sends vLLM only the files that it lacks, and all files if it has lost one", async () => {
    const started = await start("vllm", { chatTemplateType });
    const first = await started.send([user(image(WIDE))]);
    const second = await started.send([...first, user(image(TALL))]);
    started.vision.forget();
    await started.send([...second, user(image(makePng(30, 30)))]);
    const files = started.sent().map(({ content_parts: parts = [] }) => parts.map(({ url }) => url !== undefined));
    expect(files).toEqual([[true], [false, true], [false, false, true], [true, true, true]]);
  });
});

it("an answer with a token that stands for an image is not recorded", async () => {
  const started = await start("vllm", { server: { complete: () => [5, IMAGE_TOKEN, 6] } });
  const messages = [user(text("hello"))];
  const reply = await started.proxy.post(CHAT, { messages, max_tokens: 8 }, started.session.key);
  expect(reply.status).toBe(502);
  expect(reply.error.message).toContain("which stands for an image");
  expect(started.proxy.context.registry.get(started.session.id).interactionCount).toBe(0);
});

it("an SGLang server that tokenizes prompts with images again is refused", async () => {
  class OldVision extends EngineVision {
    probes = 0;
    /** Joins the two tokens of the probe. Prompts of calls have no such pair. */
    override expandForSglang(...[ids, fields]: Parameters<EngineVision["expandForSglang"]>): number[] {
      const isProbe = ids.length < 6;
      if (isProbe) this.probes++;
      return super.expandForSglang(isProbe ? ids.slice(1) : ids, fields);
    }
  }
  const sees = new OldVision(IMAGE_TOKEN);
  const started = await start("sglang", { sees });
  const ask = () => started.proxy.post(CHAT, { messages: [user(image(WIDE))] }, started.session.key);
  const reply = await ask();
  expect(reply.status).toBe(502);
  expect(reply.error.message).toContain("tokenizes the text again");
  expect(started.sent()).toEqual([]);
  // The server may have been updated meanwhile.
  await ask();
  expect(sees.probes).toBe(2);
});

it("token ids that continue calls with different images of one size are refused", async () => {
  const started = await start("vllm");
  for (const gray of [10, 200]) await started.send([user(image(makePng(100, 60, gray)))], { temperature: 0 });
  const { tokens } = started.proxy.context.registry.get(started.session.id);
  const prompt = [...tokens.prompt([], 0).tokens(), 5];
  const reply = await started.proxy.post("/v1/completions", { prompt, max_tokens: 4 }, started.session.key);
  expect(reply.refusal).toBe("400 invalid_value");
  expect(reply.error.message).toContain("whose images differ");
});

it("a branch with an image does not begin with the text of its sibling's request", async () => {
  const started = await start("vllm");
  const first = await started.send([user(text("a long text ".repeat(4000)))]);
  await started.send([...first, user(text("Tell me more about this text."))]);
  const branch = await started.send([...first, user(text("Look: "), image(WIDE))]);
  await started.send([...branch, user(text("And why?"))]);
  const last = started.sent().at(-1)?.token_ids ?? [];
  const rows = await exportedIds(started);
  expect(rows.at(-1)?.length).toBeGreaterThan(8192);
  expect(rows.at(-1)?.slice(0, last.length)).toEqual(last);
});

describe.each(["sglang", "vllm"] as const)("with %s", (name) => {
  it("no call samples the tokens of images, and this is not recorded as a bias of the request", async () => {
    const started = await start(name);
    await started.send([user(text("hello"))]);
    await started.send([user(text("hello "))], { logit_bias: { 5: 1 } });
    const banned = { [IMAGE_TOKEN]: -100, [IMAGE_TOKEN + 1]: -100 };
    expect(started.sent().map((body) => body.sampling_params.logit_bias)).toEqual([banned, { ...banned, 5: 1 }]);
  });

  it("several choices and streams have the same prompt", async () => {
    const started = await start(name);
    await started.send([user(image(WIDE))], { n: 2 });
    const stream = { messages: [user(image(WIDE))], max_tokens: 8, stream: true };
    const reply = await started.proxy.post(CHAT, stream, started.session.key);
    expect(reply.raw.toString()).toContain("[DONE]");
    const rows = await exportedIds(started);
    expect(rows.map(runsOf)).toEqual([[WIDE_TOKENS], [WIDE_TOKENS], [WIDE_TOKENS]]);
  });

  it("fails the call if the server sees no images, and records nothing", async () => {
    const started = await start(name, { sees: null });
    const reply = await started.proxy.post(CHAT, { messages: [user(image(WIDE))] }, started.session.key);
    expect(reply.status).toBe(502);
    expect(reply.error.message).toContain(name === "vllm" ? "sees no images" : "preprocessor_config.json");
    expect(started.proxy.context.registry.get(started.session.id).interactionCount).toBe(0);
  });

  it("an image token in a text is refused, because the engine would take it for an image", async () => {
    const started = await start(name);
    const messages = [user(text("this <|image_pad|> "), image(WIDE))];
    const reply = await started.proxy.post(CHAT, { messages }, started.session.key);
    expect(reply.refusal).toBe("400 template_error");
    expect(reply.error.message).toContain("more image tokens than");
    expect(started.sent()).toEqual([]);
  });
});

describe("vLLM with other pixel limits than the model's files", () => {
  /** 100 x 60 pixels become 1 x 2 tokens, 40 x 200 become 4 x 1. */
  const small = () => new EngineVision(IMAGE_TOKEN, { maxPixels: 4 * 28 * 28 });
  const question = [user(text("Compare "), image(WIDE), text(" and "), image(TALL))];
  const repeated = async ({ proxy }: Started) => (await proxy.context.metrics.otherImageTokens.get()).values[0]?.value;

  it.each(["hf", "concat"] as const)(
    "is asked for its tokens once for each image size, and they are recorded (%s)",
    async (type) => {
      const started = await start("vllm", { sees: small(), chatTemplateType: type });
      const first = await started.send(question);
      await started.send([...first, user(text("And "), image(WIDE))]);
      const rows = await exportedIds(started);
      expect(rows.map(runsOf)).toEqual([
        [2, 4],
        [2, 4, 2],
      ]);
      // The prediction that was wrong, one request for each size, the call; then the second call.
      const kinds = started.sent().map(({ token_ids: ids = [], features }) => (features ? "features" : ids.length));
      expect(kinds).toEqual([expect.any(Number), 1, 1, kinds[0], "features"]);
      expect(await repeated(started)).toBe(1);
    },
  );

  it("answers calls with several choices, streams, and calls that use the whole context", async () => {
    const started = await start("vllm", { sees: small() });
    const many = await started.proxy.post(CHAT, { messages: question, n: 3 }, started.session.key);
    expect(many.status).toBe(200);
    const { usage } = many.json<{ usage: { prompt_tokens: number } }>();
    const [row = []] = await exportedIds(started);
    expect(runsOf(row)).toEqual([2, 4]);
    const { tokens } = started.proxy.context.registry.get(started.session.id);
    expect([0, 1, 2].map((i) => tokens.interaction(i).promptTokens)).toEqual(Array(3).fill(usage.prompt_tokens));
  });

  it("streams the answer to the engine's own prompt", async () => {
    const started = await start("vllm", { sees: small() });
    const stream = { messages: question, max_tokens: 8, stream: true, stream_options: { include_usage: true } };
    const reply = await started.proxy.post(CHAT, stream, started.session.key);
    const text = reply.raw.toString();
    expect(text).toContain("[DONE]");
    expect(text).not.toContain('"error"');
    const [row = []] = await exportedIds(started);
    expect(runsOf(row)).toEqual([2, 4]);
    const prompt = Number(/"prompt_tokens":(\d+)/.exec(text)?.[1]);
    const interaction = started.proxy.context.registry.get(started.session.id).tokens.interaction(0);
    expect(interaction.promptTokens).toBe(prompt);
  });

  it.each([undefined, "PixtralImageProcessor"])(
    "is asked again after a restart with others (%s)",
    async (processor) => {
      const options = { sees: small(), ...(processor === undefined ? {} : { processor }) };
      const started = await start("vllm", options);
      await started.send(question);
      started.vision.restart({ maxPixels: 100 * 28 * 28 });
      await started.send(question);
      expect((await exportedIds(started)).map(runsOf)).toEqual([
        [2, 4],
        [WIDE_TOKENS, TALL_TOKENS],
      ]);
    },
  );

  it("sends no places of another length for an image that the server has", async () => {
    const started = await start("vllm", { chatTemplateType: "concat" });
    const first = await started.send(question);
    started.vision.restart({ maxPixels: 4 * 28 * 28 });
    await started.send(question);
    const before = started.sent().length;
    const messages = [...first, user(text("And why?"))];
    const reply = await started.proxy.post(CHAT, { messages }, started.session.key);
    expect(reply.status).toBe(502);
    const sent = started.sent().slice(before);
    expect(sent.length).toBeGreaterThan(0);
    for (const body of sent) expect(body).not.toHaveProperty("features");
  });

  it("may have room for images that have none as the model's files say", async () => {
    const started = await start("vllm", { sees: small(), engineMaxTokens: 300 });
    await started.send([user(image(makePng(1000, 1000)))]);
    expect((await exportedIds(started)).map(runsOf)).toEqual([[4]]);
  });

  it("counts the tokens that it has in the limits of a session", async () => {
    const sees = new EngineVision(IMAGE_TOKEN, { minPixels: 900 * 28 * 28 });
    const sessionLimits = { tokens: 200, calls: 100, bytes: 1 << 30, concurrentCalls: 10 };
    const started = await start("vllm", { sees, sessionLimits });
    const reply = await started.proxy.post(CHAT, { messages: [user(image(WIDE))], max_tokens: 4 }, started.session.key);
    expect(reply.refusal).toBe("403 session_limit");
  });

  it("fails a call whose recorded images it divides otherwise now", async () => {
    const started = await start("vllm", { chatTemplateType: "concat" });
    const first = await started.send(question);
    started.vision.restart({ maxPixels: 4 * 28 * 28 });
    const messages = [...first, user(text("And why?"))];
    const reply = await started.proxy.post(CHAT, { messages }, started.session.key);
    expect(reply.status).toBe(502);
    expect(reply.error.message).toContain("The engine used another prompt");
    expect((await exportedIds(started)).map(runsOf)).toEqual([[WIDE_TOKENS, TALL_TOKENS]]);
  });
});

describe("a family whose tokens only the engine knows", () => {
  const BREAK = 5;
  /** An image token for each two tokens of Qwen2.5-VL, with a break after it. */
  const withBreaks = (tokens: number) => Array.from({ length: tokens }, (_, i) => (i % 2 === 0 ? IMAGE_TOKEN : BREAK));
  const processor = "PixtralImageProcessor";

  it("is recorded with the engine's tokens, and sent again with one token for each image", async () => {
    const started = await start("vllm", { sees: new EngineVision(IMAGE_TOKEN, {}, withBreaks), processor });
    const first = await started.send([user(text("Look: "), image(WIDE))]);
    const second = await started.send([...first, user(text("And why?"))]);
    started.vision.forget();
    await started.send([...second, user(text("Again."))]);
    const rows = await exportedIds(started);
    const at = rows[0]?.indexOf(IMAGE_TOKEN) ?? 0;
    for (const row of rows) expect(row.slice(at, at + WIDE_TOKENS)).toEqual(withBreaks(WIDE_TOKENS));
    const sent = started.sent();
    expect(sent.map((body) => "features" in body)).toEqual([false, false, true, true, false]);
    expect(runsOf(sent.at(-1)?.token_ids ?? [])).toEqual([1]);
  });

  it("is asked for its tokens although the server returns sampling masks", async () => {
    const sees = new EngineVision(IMAGE_TOKEN, {}, withBreaks);
    const started = await start("vllm", { sees, processor, server: { samplingMask: true } });
    await started.send([user(image(WIDE))]);
    expect((await exportedIds(started))[0]).toEqual(expect.arrayContaining([BREAK]));
  });

  it("is refused if its tokens do not begin with the image token", async () => {
    const sees = new EngineVision(IMAGE_TOKEN, {}, (tokens) => [BREAK, ...withBreaks(tokens)]);
    const started = await start("vllm", { sees, processor });
    const reply = await started.proxy.post(CHAT, { messages: [user(image(WIDE))] }, started.session.key);
    expect(reply.status).toBe(502);
    expect(reply.error.message).toContain("cannot be repeated");
  });
});
