import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

/** Images, files and audio: `rollout.agent.images` says whether requests with them are refused. */

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";

const DATA = "data:image/png;base64,AAAA";
const base64 = { type: "base64", media_type: "image/png", data: "AAAA" };
const textDocument = { type: "document", source: { type: "text", media_type: "text/plain", data: "the file" } };
const user = (content: unknown) => ({ role: "user", content });
const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", source: base64 };
const chatImage = { type: "image_url", image_url: { url: DATA } };

const call = { id: "c1", type: "function", function: { name: "look", arguments: "{}" } };
const chatResult = (content: unknown) => [
  user("look"),
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c1", content },
];
const messagesResult = (content: unknown) => [
  user("look"),
  { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "look", input: {} }] },
  user([{ type: "tool_result", tool_use_id: "c1", content }]),
];
const responsesResult = (item: object) => [
  user("look"),
  { type: "function_call", call_id: "c1", name: "look", arguments: "{}" },
  { call_id: "c1", ...item },
];
const output = (parts: unknown) => responsesResult({ type: "function_call_output", output: parts });

interface Case {
  readonly name: string;
  readonly url: string;
  /** The request with parts that are not text, and the same request with their text. */
  readonly body: object;
  readonly shown: object;
  readonly count: number;
  /** The field that a refusal names. */
  readonly param: string;
}

const chat = (content: unknown, shown: string, count: number, name: string): Case => ({
  name: `${name} of a chat message`,
  url: CHAT,
  body: { messages: [user(content)] },
  shown: { messages: [user(shown)] },
  count,
  param: "messages[0].content[1].type",
});

const CASES: Case[] = [
  chat([text("see "), chatImage, text("?")], "see [image]?", 1, "an image"),
  chat([text("see "), { type: "file", file: { file_data: DATA } }], "see [file]", 1, "a file"),
  chat(
    [text("hear "), { type: "input_audio", input_audio: { data: "AA", format: "wav" } }],
    "hear [audio]",
    1,
    "audio",
  ),
  {
    name: "two images in a tool result of chat completions",
    url: CHAT,
    body: { messages: chatResult([chatImage, text(" and "), chatImage]) },
    shown: { messages: chatResult("[image] and [image]") },
    count: 2,
    param: "messages[2].content[0].type",
  },
  {
    name: "an image and a PDF of a message",
    url: MESSAGES,
    body: { messages: [user([text("see "), image, { type: "document", source: base64, title: "t" }])] },
    shown: { messages: [user("see [image][file]")] },
    count: 2,
    param: "messages[0].content[1].type",
  },
  {
    name: "a text document of a message",
    url: MESSAGES,
    body: { messages: [user([text("read: "), textDocument, text(".")])] },
    shown: { messages: [user("read: the file.")] },
    count: 0,
    param: "messages[0].content[1].type",
  },
  {
    name: "a document of text blocks",
    url: MESSAGES,
    body: { messages: [user([{ type: "document", source: { type: "content", content: [text("a"), text("b")] } }])] },
    shown: { messages: [user("ab")] },
    count: 0,
    param: "messages[0].content[0].type",
  },
  {
    name: "a document with an image among its blocks",
    url: MESSAGES,
    body: { messages: [user([{ type: "document", source: { type: "content", content: [text("a"), image] } }])] },
    shown: { messages: [user("[file]")] },
    count: 1,
    param: "messages[0].content[0].type",
  },
  {
    name: "an image in a tool result of messages",
    url: MESSAGES,
    body: { messages: messagesResult([text("a "), image, textDocument]) },
    shown: { messages: messagesResult("a [image]the file") },
    count: 1,
    param: "messages[2].content[0].content[1].type",
  },
  {
    name: "an image, a file and audio of a response's input",
    url: RESPONSES,
    body: {
      input: [
        user([
          { type: "input_text", text: "see " },
          { type: "input_image", image_url: DATA },
          { type: "input_file", file_id: "file-1" },
          { type: "input_audio", input_audio: { data: "AA", format: "mp3" } },
        ]),
      ],
    },
    shown: { input: "see [image][file][audio]" },
    count: 3,
    param: "input[0].content[1].type",
  },
  {
    name: "an image in a result of responses",
    url: RESPONSES,
    body: {
      input: output([
        { type: "input_image", image_url: DATA },
        { type: "input_text", text: " done" },
      ]),
    },
    shown: { input: output("[image] done") },
    count: 1,
    param: "input[2].output[0].type",
  },
  {
    name: "the screenshot of a computer call",
    url: RESPONSES,
    body: {
      input: responsesResult({
        type: "computer_call_output",
        output: { type: "computer_screenshot", image_url: DATA },
      }),
    },
    shown: { input: output("[image]") },
    count: 1,
    param: "input[2].output.type",
  },
];

const withLimit = (url: string, body: object) => (url === MESSAGES ? { max_tokens: 8, ...body } : body);

describe("with images: refuse, the default", () => {
  let proxy: Proxy;
  let session: StartedSession;
  beforeAll(async () => {
    proxy = await Proxy.start();
    session = await proxy.session();
  });
  afterAll(() => proxy.close());

  it.each(CASES)("refuses $name and names the setting", async ({ url, body, param }) => {
    const reply = await proxy.post(url, withLimit(url, body), session.key);
    expect([reply.refusal, reply.error.param]).toEqual(["400 unsupported_parameter", param]);
    expect(reply.error.message).toContain('Set rollout.agent.images to "placeholder"');
  });

  it("refuses to count the tokens of a message with an image", async () => {
    const reply = await proxy.post("/v1/messages/count_tokens", { messages: [user([image])] }, session.key);
    expect(reply.refusal).toBe("400 unsupported_parameter");
  });
});

describe("with images: placeholder", () => {
  let proxy: Proxy;
  let session: StartedSession;
  beforeAll(async () => {
    proxy = await Proxy.start({ settings: { images: "placeholder" } });
    session = await proxy.session();
  });
  afterAll(() => proxy.close());

  const lastPrompt = () => [...(proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];
  const readCount = ({ headers }: Reply) => headers["x-rolltape-placeholders"];

  it.each(CASES)("shows $name as text, in its place", async ({ url, body, shown, count }) => {
    const plain = await proxy.post(url, withLimit(url, shown), session.key);
    expect([plain.refusal, readCount(plain)]).toEqual(["200", undefined]);
    const expected = lastPrompt();
    const reply = await proxy.post(url, withLimit(url, body), session.key);
    expect([reply.refusal, readCount(reply)]).toEqual(["200", count === 0 ? undefined : String(count)]);
    expect(lastPrompt()).toEqual(expected);
  });

  it("sends the header before a streamed answer", async () => {
    const reply = await proxy.post(CHAT, { stream: true, messages: [user([chatImage])] }, session.key);
    expect([reply.status, readCount(reply)]).toEqual([200, "1"]);
  });

  it("counts the tokens of a message with an image", async () => {
    const url = "/v1/messages/count_tokens";
    const reply = await proxy.post(url, { messages: [user([image])] }, session.key);
    expect(reply.json()).toEqual((await proxy.post(url, { messages: [user("[image]")] }, session.key)).json());
  });

  it.each([
    [CHAT, { messages: [{ role: "system", content: [chatImage] }, user("hi")] }, "messages[0].content[0].type"],
    [
      CHAT,
      { messages: [user("hi"), { role: "assistant", content: [chatImage] }, user("hi")] },
      "messages[1].content[0].type",
    ],
    [MESSAGES, { messages: [user("hi"), { role: "assistant", content: [image] }] }, "messages[1].content[0].type"],
    [MESSAGES, { system: [image], messages: [user("hi")] }, "system[0].type"],
    [
      RESPONSES,
      { input: [{ role: "developer", content: [{ type: "input_image", image_url: DATA }] }] },
      "input[0].content[0].type",
    ],
    [CHAT, { messages: [user([{ type: "video_url", video_url: { url: DATA } }])] }, "messages[0].content[0].type"],
  ])("%s refuses %j", async (url, body, param) => {
    const reply = await proxy.post(url, withLimit(url, body), session.key);
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", param]);
  });
});

/** An image of 300 kB: the body is large, so the server compares it with those of earlier calls. */
const largeImage = { type: "image_url", image_url: { url: DATA + "Zm9v".repeat(75_000) } };

describe("a conversation with an image", () => {
  it("is continued token by token when the image is sent again, and its body is not kept", async () => {
    const proxy = await Proxy.start({ settings: { images: "placeholder", chatTemplateType: "concat" } });
    const session = await proxy.session();
    const words = "word ".repeat(5000);
    const first = await proxy.turn(session, [user(words), user([text("see "), largeImage])]);
    const { conversations } = proxy.context;
    expect(conversations.bodies.bytes).toBeGreaterThan(words.length);
    expect(conversations.bodies.bytes).toBeLessThan(300_000);
    const second = await proxy.turn(session, [...first.messages, user("and now?")]);
    await proxy.turn(session, [...second.messages, user([text("this? "), largeImage])]);
    expect(conversations.bodies.bytes).toBeLessThan(300_000);
    await proxy.end(session);
    const raw = (await proxy.export(session, { include: ["messages"] })).raw.toString();
    expect(raw).not.toContain("Zm9v");
    const calls = Object.values((JSON.parse(raw) as WireExport).interactions);
    expect(calls).toMatchObject([
      { token_exact: false, placeholders: 1 },
      { token_exact: true, placeholders: 1 },
      { token_exact: true, placeholders: 2 },
    ]);
    await proxy.close();
  });

  it("counts placeholders of the response that previous_response_id names, also after a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-images-"));
    const start = () => Proxy.start({ settings: { images: "placeholder" }, storage: { directory } });
    const first = await start();
    const session = await first.session();
    const input = [user([{ type: "input_image", image_url: DATA }])];
    const { id } = (await first.post(RESPONSES, { input }, session.key)).json<{ id: string }>();
    await first.close();

    const proxy = await start();
    const again = await proxy.post(RESPONSES, { input: "more", previous_response_id: id }, session.key);
    expect([again.refusal, again.headers["x-rolltape-placeholders"]]).toEqual(["200", "1"]);
    await proxy.post(RESPONSES, { input: "other" }, session.key);
    await proxy.end(session);
    const ids = { session_ids: [session.id] };
    const batch = readSafetensors((await proxy.post("/export_batch", { ...ids, turns: true })).raw);
    expect(batch.tensors["row_placeholders"]?.data).toEqual([1, 1, 0]);
    expect(batch.tensors["turn_placeholders"]?.data).toEqual([1, 1, 0]);
    await proxy.close();
    rmSync(directory, { recursive: true });
  });
});
