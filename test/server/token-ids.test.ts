import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { ensureTinyModel } from "../../src/engine/index.js";
import { readModelFiles } from "../../src/model/model-files.js";
import { Tokenizer } from "../../src/model/tokenizer/tokenizer.js";
import { numbers, type WireExport } from "../helpers/export-json.js";
import { Proxy, type ProxyOptions, type Reply, type StartedSession } from "../helpers/proxy.js";
import type { ScriptedEngine, ScriptedReply } from "../helpers/scripted-engine.js";
import { readData } from "../helpers/sse.js";

/** `return_token_ids`: trainers read the tokens of a call from its answer. */

let proxy: Proxy;
let session: StartedSession;
const open = async (options: ProxyOptions<ScriptedEngine> = {}) => {
  proxy = await Proxy.start({ model: { toolCallParser: "hermes" }, ...options });
  session = await proxy.session();
};
beforeEach(() => open());
afterEach(() => proxy.close());

interface Entry {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
  readonly top_logprobs: readonly Entry[];
}
interface Choice {
  readonly index: number;
  readonly interaction_id: string;
  readonly token_ids?: number[];
  readonly logprobs: { readonly content: readonly Entry[] } | null;
  readonly finish_reason: string | null;
  readonly delta: { readonly content?: string; readonly tool_calls?: readonly object[] };
  readonly weight_version?: number;
  readonly weight_versions?: readonly object[];
}
interface Completion {
  readonly prompt_token_ids?: number[];
  readonly choices: readonly Choice[];
}
interface Item {
  readonly type: string;
  readonly id: string;
  readonly prompt_token_ids?: number[];
  readonly generation_token_ids?: number[];
  readonly generation_log_probs?: number[];
}
interface ResponseBody {
  readonly id: string;
  readonly output: readonly Item[];
  readonly weight_version?: number;
}

const messages = [{ role: "user", content: "hello" }];
const TOOLS = [{ type: "function", function: { name: "f", parameters: { type: "object" } } }];
const ASK = { return_token_ids: true };

let tokenizer: Tokenizer;
beforeAll(async () => {
  const { tokenizer: file, tokenizerConfig: config } = await readModelFiles((await ensureTinyModel()).folder);
  tokenizer = new Tokenizer({ tokenizer: file, config }, 0);
});

const encode = async (text: string) => (await tokenizer.encode(text)).flatMap((piece) => [...piece]);
const stopToken = () => proxy.context.model.stopTokenIds[0] ?? 0;
const script = (ids: readonly number[], more: Omit<ScriptedReply, "ids"> = {}) =>
  proxy.engine.replies.push({ ids, ...more });
const CALL = '<tool_call>\n{"name": "f", "arguments": {"a": 1}}\n</tool_call>';
const sentPrompt = (index = -1) => [...(proxy.engine.calls.at(index)?.prompt.tokens() ?? [])];
const scriptedLogprobs = (count: number) => Array.from({ length: count }, (_, i) => -(i + 1) / 8);

const chat = async (extra: object = {}) => proxy.chat(session, messages, extra);
const chunks = async (extra: object = {}) => {
  const reply = await chat({ stream: true, ...ASK, ...extra });
  return readData<Completion>(reply.raw.toString());
};
const respond = (body: object = {}): Promise<Reply> =>
  proxy.post("/v1/responses", { input: "hello", ...ASK, ...body }, session.key);

/** Returns prompt and output of each recorded interaction, as an export has them. */
async function exported(): Promise<{ prompt: number[]; output: number[]; logprobs: number[] }[]> {
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  return Object.values(interactions).map((each) => {
    const [ids, mask, logprobs] = ["input_ids", "loss_mask", "logprobs"].map((name) => numbers(each, name));
    const length = mask?.indexOf(1) ?? -1;
    const start = length < 0 ? ids?.length : length;
    return {
      prompt: ids?.slice(0, start) ?? [],
      output: ids?.slice(start) ?? [],
      logprobs: logprobs?.slice(start) ?? [],
    };
  });
}

/** Returns the tokens of an item, and its other fields. */
function splitItem({ prompt_token_ids: prompt, generation_token_ids: output, generation_log_probs: logprobs }: Item) {
  return { prompt, output, logprobs };
}

describe("a chat completion with return_token_ids", () => {
  it("has the ids that the engine received and all sampled ids, as they are exported", async () => {
    const output = [...(await encode(`Let me see. ${CALL}`)), stopToken()];
    script(output);
    const { prompt_token_ids: prompt, choices } = (await chat({ ...ASK, tools: TOOLS })).json<Completion>();
    expect(choices[0]).toMatchObject({ finish_reason: "tool_calls", token_ids: output, logprobs: null });
    expect(prompt).toEqual(sentPrompt());
    expect(await exported()).toEqual([{ prompt, output, logprobs: scriptedLogprobs(output.length) }]);
  });

  it("has one log probability per id, if it asks for them", async () => {
    script([...(await encode("hello")), stopToken()]);
    const { choices } = (await chat({ ...ASK, logprobs: true })).json<Completion>();
    const { token_ids: ids = [], logprobs } = choices[0] as Choice;
    expect(logprobs?.content.map(({ logprob }) => logprob)).toEqual(scriptedLogprobs(ids.length));
  });

  it("has the ids of each choice, and the prompt once", async () => {
    const outputs = [await encode("a"), [...(await encode(CALL)), stopToken()], await encode("a b c")];
    for (const ids of outputs) script(ids);
    const reply = await chat({ ...ASK, n: 3, tools: TOOLS });
    const { prompt_token_ids: prompt, choices } = reply.json<Completion>();
    expect(choices.map(({ token_ids: ids }) => ids)).toEqual(outputs);
    expect(prompt).toEqual(sentPrompt());
    expect(reply.raw.toString().split("prompt_token_ids")).toHaveLength(2);
  });

  it("has the tokens of a stop string and of reasoning", async () => {
    const output = await encode("<think>hm</think>one END");
    script(output);
    const { choices } = (await chat({ ...ASK, stop: "END" })).json<Completion>();
    expect(choices[0]?.token_ids).toEqual(output);
  });

  it("has no ids for an answer without tokens", async () => {
    script([]);
    const { choices } = (await chat(ASK)).json<Completion>();
    expect(choices[0]).toMatchObject({ token_ids: [], weight_versions: [] });
  });

  it("names the weight version of the tokens, or spans of several", async () => {
    await proxy.post("/rl/set_version", { version: 7 });
    const whole = (await chat(ASK)).json<Completion>();
    expect(whole.choices[0]).toMatchObject({ weight_version: 7 });
    expect(whole.choices[0]).not.toHaveProperty("weight_versions");
    proxy.engine.onSampled = (generation) =>
      generation.append(Int32Array.of(303, 304), Float32Array.of(-1, -1), Int32Array.of(8, 9));
    const spans = [
      { version: 7, start: 0, end: 3 },
      { version: 8, start: 3, end: 4 },
      { version: 9, start: 4, end: 5 },
    ];
    const mixed = (await chat(ASK)).json<Completion>();
    expect(mixed.choices[0]).toMatchObject({ token_ids: [300, 301, 302, 303, 304], weight_versions: spans });
    expect(mixed.choices[0]).not.toHaveProperty("weight_version");
    expect((await chunks()).at(-1)?.choices[0]).toMatchObject({ finish_reason: "stop", weight_versions: spans });
  });

  it("is not followed by ids in a call that does not ask for them", async () => {
    await chat(ASK);
    for (const extra of [{}, { stream: true }, { logprobs: true, stream: true }, { return_token_ids: false }]) {
      const text = (await chat(extra)).raw.toString();
      expect(text).not.toMatch(/token_ids|weight_version/);
    }
  });

  it("has all ids of an answer that is too long for one text", async () => {
    proxy.engine.context = 400_000;
    const output = Array.from({ length: 200_000 }, (_, i) => i % 300);
    script(output);
    script(output);
    expect((await chat(ASK)).json<Completion>().choices[0]?.token_ids).toEqual(output);
    const streamed = await chunks();
    expect(streamed.flatMap(({ choices }) => choices[0]?.token_ids ?? [])).toEqual(output);
  });
});

describe("a streamed chat completion with return_token_ids", () => {
  it("begins with the prompt's ids, and has the sampled ids as they arrive", async () => {
    const output = [...(await encode("one two three four")), stopToken()];
    script(output, { perFrame: 2 });
    const [first, ...rest] = await chunks({ logprobs: true });
    expect(first?.prompt_token_ids).toEqual(sentPrompt());
    expect(rest.some((chunk) => "prompt_token_ids" in chunk)).toBe(false);
    const withIds = rest.filter(({ choices }) => choices[0]?.token_ids !== undefined);
    expect(withIds.length).toBeGreaterThan(2);
    expect(withIds.flatMap(({ choices }) => choices[0]?.token_ids ?? [])).toEqual(output);
    for (const { choices } of rest) expect(choices[0]?.logprobs?.content.length).toBe(choices[0]?.token_ids?.length);
    const logprobs = rest.flatMap(({ choices }) => choices[0]?.logprobs?.content ?? []);
    expect(logprobs.map(({ logprob }) => logprob)).toEqual(scriptedLogprobs(output.length));
  });

  it("has the ids of a call before the call, which is held back", async () => {
    const output = [...(await encode(CALL)), stopToken()];
    script(output, { perFrame: 1 });
    const streamed = await chunks({ tools: TOOLS });
    expect(streamed.flatMap(({ choices }) => choices[0]?.token_ids ?? [])).toEqual(output);
    const callAt = streamed.findIndex(({ choices }) => choices[0]?.delta.tool_calls);
    const before = streamed.slice(0, callAt).flatMap(({ choices }) => choices[0]?.token_ids ?? []);
    expect(before.length).toBeGreaterThan(5);
    expect(streamed.every(({ choices }) => choices[0]?.logprobs === null)).toBe(true);
  });

  it("has the ids of each choice in its own chunks", async () => {
    const outputs = [await encode("a b c"), [...(await encode(CALL)), stopToken()]];
    for (const ids of outputs) script(ids, { perFrame: 1 });
    const streamed = await chunks({ n: 2, tools: TOOLS });
    const all = streamed.flatMap(({ choices }) => choices);
    outputs.forEach((ids, choice) => {
      const own = all.filter(({ index }) => index === choice);
      expect(own.flatMap(({ token_ids: each = [] }) => each)).toEqual(ids);
      expect(own.at(-1)).toMatchObject({ weight_version: 0 });
    });
    expect(streamed.filter((chunk) => "prompt_token_ids" in chunk)).toHaveLength(1);
  });

  it("begins with the prompt's ids also if the answer has no tokens", async () => {
    script([]);
    const streamed = await chunks();
    expect(streamed[0]?.prompt_token_ids).toEqual(sentPrompt());
    expect(streamed.at(-1)?.choices[0]).toMatchObject({ finish_reason: "stop", weight_versions: [] });
  });
});

describe("return_tokens_as_token_ids", () => {
  it("names the tokens of log probabilities by their ids", async () => {
    const read = async (extra: object) => {
      const { choices } = (await chat({ logprobs: true, ...extra })).json<Completion>();
      return choices[0]?.logprobs?.content ?? [];
    };
    const [named, plain] = [await read({ return_tokens_as_token_ids: true }), await read({})];
    expect(named.map(({ token }) => token)).toEqual(["token_id:300", "token_id:301", "token_id:302"]);
    expect(named.map((entry, i) => ({ ...entry, token: plain[i]?.token, token_id: undefined }))).toEqual(plain);
    expect(plain[0]?.token).not.toContain("token_id");
  });
});

describe("a response with return_token_ids", () => {
  it("has the tokens on its last output item only", async () => {
    const output = [...(await encode(`Let me see. ${CALL}`)), stopToken()];
    script(output);
    const tools = [{ type: "function", name: "f", parameters: { type: "object" } }];
    const body = (await respond({ tools })).json<ResponseBody>();
    expect(body.output.map(({ type }) => type)).toEqual(["message", "function_call"]);
    const [message, call] = body.output as [Item, Item];
    expect(splitItem(message)).toEqual({ prompt: undefined, output: undefined, logprobs: undefined });
    const tokens = { prompt: sentPrompt(), output, logprobs: scriptedLogprobs(output.length) };
    expect(splitItem(call)).toEqual(tokens);
    expect(body.weight_version).toBe(0);
    expect(await exported()).toEqual([tokens]);
  });

  it.each([
    ["an answer with text", [300, 301, 302]],
    ["an answer without text", []],
  ])("has the same tokens in a stream: %s", async (_, output) => {
    script(output);
    const events = readData<{ type: string; response: ResponseBody; item: Item }>(
      (await respond({ stream: true })).raw.toString(),
    );
    const last = events.at(-1)?.response.output.at(-1) ?? { type: "", id: "" };
    expect(splitItem(last)).toEqual({ prompt: sentPrompt(), output, logprobs: scriptedLogprobs(output.length) });
    const done = events.find(({ type }) => type === "response.output_item.done");
    expect(done?.item).toEqual(last);
    expect(events.map(({ type }) => type)).toContain("response.output_item.added");
  });

  it("has an empty message with the tokens if the model wrote nothing but its end", async () => {
    script([stopToken()]);
    const body = (await respond()).json<ResponseBody>();
    expect(body.output).toMatchObject([{ type: "message", content: [], generation_token_ids: [stopToken()] }]);
    const next = {
      ...ASK,
      input: [
        { type: "item_reference", id: body.output[0]?.id },
        { role: "user", content: "b" },
      ],
    };
    expect((await proxy.post("/v1/responses", next, session.key)).status).toBe(200);
    expect((await proxy.post("/v1/responses", { input: "hello" }, session.key)).status).toBe(200);
  });

  it("is retrieved with the same tokens", async () => {
    const sent = (await respond()).json<ResponseBody>();
    expect((await proxy.request({ url: `/v1/responses/${sent.id}` }, session.key)).json()).toEqual(sent);
    const without = (await respond({ return_token_ids: false })).json<ResponseBody>();
    expect((await proxy.request({ url: `/v1/responses/${without.id}` }, session.key)).json()).toEqual(without);
    expect(JSON.stringify(without)).not.toContain("token_ids");
  });

  it("is retrieved with the same tokens after a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-token-ids-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    await proxy.close();
    await open({ storage: { directory } });
    await proxy.post("/rl/set_version", { version: 3 });
    const sent = (await respond()).json<ResponseBody>();
    await proxy.close();
    proxy = await Proxy.start({ storage: { directory } });
    const retrieved = await proxy.request({ url: `/v1/responses/${sent.id}` }, session.key);
    expect(retrieved.json()).toEqual(sent);
    expect(sent.weight_version).toBe(3);
  });

  it("can be sent back with its tokens, as NeMo Gym does, and is continued", async () => {
    await proxy.close();
    await open({ settings: { chatTemplateType: "concat" } });
    const first = (await respond()).json<ResponseBody>();
    const input = [{ role: "user", content: "hello" }, ...first.output, { role: "user", content: "more" }];
    const second = (await respond({ input })).json<ResponseBody>();
    const [before] = first.output;
    const [after] = second.output;
    const sequence = [...(before?.prompt_token_ids ?? []), ...(before?.generation_token_ids ?? [])];
    expect(after?.prompt_token_ids?.slice(0, sequence.length)).toEqual(sequence);
  });
});

describe("an API whose answers have no place for token ids", () => {
  it.each([
    ["/v1/messages", { messages, max_tokens: 5 }],
    ["/v1beta/models/tiny:generateContent", { contents: [{ role: "user", parts: [{ text: "a" }] }] }],
  ])("refuses the field: %s", async (url, body) => {
    const { status, error } = await proxy.post(url, { ...body, return_token_ids: true }, session.key);
    expect([status, error.message]).toEqual([
      400,
      "return_token_ids (use chat completions or responses) is not supported",
    ]);
    expect((await proxy.post(url, { ...body, return_token_ids: false }, session.key)).status).toBe(200);
  });
});
