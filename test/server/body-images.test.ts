import { randomBytes } from "node:crypto";
import { expect, it, onTestFinished, vi } from "vitest";
import { createVllmEngine } from "../../src/engine/index.js";
import { BodyImages, type BodyWithoutImages, countStandIns } from "../../src/server/memory/body-images.js";
import type { Session } from "../../src/session/session.js";
import { runAtOnce } from "../../src/support/async/steps.js";
import { EngineVision } from "../helpers/engine-vision.js";
import { dataUrl, digestOf, makePng, pngChunk, toBase64 } from "../helpers/images.js";
import { Proxy } from "../helpers/proxy.js";
import { IMAGE_TOKEN } from "../helpers/vision-files.js";
import { writeVisionModel } from "../helpers/vision-model.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Image data is taken out of large bodies before they are parsed. Nothing else of a body may be taken for it. */

/** A picture with much data. */
const picture = () => makePng(100, 60, 0, [pngChunk("tEXt", randomBytes(20_000))]);

interface Taken {
  readonly body: BodyWithoutImages | undefined;
  readonly value: unknown;
  /** The stand-ins of the body, in their order. */
  readonly standIns: readonly string[];
}

/** A session that has these files. */
const sessionWith = (...files: readonly Uint8Array[]): Session =>
  ({ imageFile: (sha256: string) => files.find((file) => digestOf(file) === sha256) }) as unknown as Session;

function take(images: BodyImages, json: string, session: Session): Taken {
  const body = runAtOnce(images.take(Buffer.from(json), session));
  const text = (body?.json ?? Buffer.from(json)).toString();
  const standIns = text.match(/[0-9a-f-]{36}:[0-9a-f]{64}/g) ?? [];
  return { body, value: JSON.parse(text), standIns };
}

const chatBody = (...urls: readonly string[]) => ({
  messages: [{ role: "user", content: urls.map((url) => ({ type: "image_url", image_url: { url } })) }],
});

it.each([
  ["chat completions", (url: string) => chatBody(url)],
  ["responses", (url: string) => ({ input: [{ content: [{ type: "input_image", image_url: url }] }] })],
  ["a screenshot", (url: string) => ({ input: [{ output: { type: "computer_screenshot", image_url: url } }] })],
  [
    "a result of a tool",
    (_: string, data: string) => ({
      messages: [
        { content: [{ type: "tool_result", content: [{ type: "image", source: { type: "base64", data } }] }] },
      ],
    }),
  ],
  ["Gemini's parts", (_: string, data: string) => ({ contents: [{ parts: [{ inlineData: { data } }] }] })],
  [
    "Gemini's results",
    (_: string, data: string) => ({
      contents: [{ parts: [{ functionResponse: { parts: [{ inline_data: { data } }] } }] }],
    }),
  ],
])("takes the image of %s", (_, write) => {
  const file = picture();
  const json = JSON.stringify(write(dataUrl(file), toBase64(file)), undefined, 1);
  const { body, value, standIns } = take(new BodyImages(), json, sessionWith());
  expect(body?.json.length).toBeLessThan(400);
  expect([body?.count, countStandIns(value), standIns.length]).toEqual([1, 1, 1]);
  expect(body?.images.find(standIns[0] ?? "")).toEqual({ sha256: digestOf(file), bytes: file });
  expect(body?.images.find("another text")).toBeUndefined();
});

it("recognizes images that the session has in any position, and reads others", () => {
  const [first, second] = [picture(), picture()];
  const images = new BodyImages();
  const empty = sessionWith();
  const { standIns } = take(images, JSON.stringify(chatBody(dataUrl(first))), empty);
  const json = JSON.stringify(chatBody(dataUrl(second), dataUrl(first)));
  // The call was not recorded, so the file is read again.
  expect(take(images, json, empty).body?.images.find(standIns[0] ?? "")?.bytes).not.toBe(first);
  const full = Object.assign(empty, sessionWith(first));
  const again = take(images, json, full);
  expect(again.standIns).toEqual([expect.stringContaining(digestOf(second)), standIns[0]]);
  expect(again.body?.images.find(standIns[0] ?? "")?.bytes).toBe(first);

  const changed = Buffer.from(first);
  changed[100] = (changed[100] ?? 0) ^ 1;
  const other = take(images, JSON.stringify(chatBody(dataUrl(changed))), full);
  expect(other.standIns).toEqual([expect.stringContaining(digestOf(changed))]);
});

it.each([
  [
    "a text",
    { messages: [{ content: dataUrl(picture()) }, { content: [{ type: "text", text: dataUrl(picture()) }] }] },
  ],
  ["quoted JSON", { messages: [{ content: JSON.stringify({ data: toBase64(picture()) }) }] }],
  ["short data", chatBody(dataUrl(makePng(4, 4)))],
  ["data that is not base64", chatBody(`data:image/png;base64,${"*".repeat(8000)}`)],
  ["cut data", chatBody(`data:image/png;base64,${"A".repeat(8001)}`)],
  ["a URL", chatBody(`https://example.org/${"a".repeat(8000)}`)],
])("takes nothing of %s", (_, value) => {
  expect(take(new BodyImages(), JSON.stringify(value), sessionWith()).body).toBeUndefined();
});

it.each([
  ["data", (data: string) => ({ type: "tool_use", input: { data } })],
  ["an image_url", (_: string, url: string) => ({ type: "tool_use", input: { image_url: { url } } })],
  ["an image as a text", (_: string, url: string) => ({ type: "tool_use", input: { image_url: url } })],
  ["a source", (data: string) => ({ type: "tool_use", input: { type: "image", source: { data } } })],
  ["parts", (data: string) => ({ type: "tool_use", input: { content: [{ inlineData: { data } }] } })],
  ["a text document", (data: string) => ({ type: "document", source: { type: "text", data } })],
])("does not count a stand-in in a part of text: %s", (_, write) => {
  const file = picture();
  const json = JSON.stringify({ messages: [{ content: [write(toBase64(file), dataUrl(file))] }] });
  const { body, value } = take(new BodyImages(), json, sessionWith());
  expect([body?.count, countStandIns(value)]).toEqual([1, 0]);
});

it.each([
  ["a long text with quotes", `"${'\\"data'.repeat(20_000)}"`],
  ["many addresses", `[${'"data:;base64,",'.repeat(20_000)}0]`],
  ["many empty fields", `[${'{"data":""},'.repeat(20_000)}0]`],
])("looks at few places of a body with %s", (_, json) => {
  const body = Buffer.from(json);
  const search = vi.spyOn(body, "indexOf");
  expect(runAtOnce(new BodyImages().take(body, sessionWith()))).toBeUndefined();
  expect(search.mock.calls.length).toBeGreaterThan(0);
  expect(search.mock.calls.length).toBeLessThan(100);
});

it("lets other work run between long texts that are not base64", () => {
  const body = `[${`{"data":"${"!".repeat(4096)}"},`.repeat(20)}0]`;
  expect(Array.from(new BodyImages().take(Buffer.from(body), sessionWith()))).toHaveLength(20);
});

it("finds the data of images wherever it is in a body", () => {
  const file = picture();
  for (const length of [0, 1, 4094, 4095, 4096, 4097, 8191, 8192]) {
    for (const filler of ["x".repeat(length), '"'.repeat(length / 2)]) {
      const body = { filler, ...chatBody(dataUrl(file), "data:,", dataUrl(file)), data: toBase64(file) };
      const { standIns } = take(new BodyImages(), JSON.stringify(body), sessionWith());
      expect(standIns).toHaveLength(3);
    }
  }
});

it("finds data as short as is taken, and no shorter", () => {
  const bodyOf = (bytes: number) => `{"data":"${toBase64(Buffer.alloc(bytes, 7))}"}`;
  for (const before of ["", "x".repeat(4090), "x".repeat(5000)]) {
    const find = (bytes: number) => take(new BodyImages(), `["${before}",${bodyOf(bytes)}]`, sessionWith()).standIns;
    // 3 bytes are 4 characters.
    expect(find(3072)).toHaveLength(1);
    expect(find(3069)).toHaveLength(0);
  }
});

it("does not join a text with the field before it", () => {
  const parts = [{ image_url: { url: "data:image/png" } }, { text: `;base64,${toBase64(picture())}` }];
  expect(
    take(new BodyImages(), JSON.stringify({ messages: [{ content: parts }] }), sessionWith()).body,
  ).toBeUndefined();
});

async function start() {
  const vision = new EngineVision(IMAGE_TOKEN);
  const server = await startVllmServer({ vision });
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  const proxy = await Proxy.start({ engine, folder: await writeVisionModel(), settings: { images: "tokens" } });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  const session = await proxy.session();
  const post = async (path: string, body: object) => {
    const reply = await proxy.post(path, body, session.key);
    expect({ status: reply.status, text: reply.raw.toString() }).toMatchObject({ status: 200 });
    return reply;
  };
  return { proxy, vision, post, recorded: proxy.context.registry.get(session.id) };
}

it("continues a conversation from turn to turn, also after other images and a failed call", async () => {
  const { proxy, post, vision, recorded } = await start();
  const [first, second] = [picture(), picture()];
  const messages: object[] = [
    {
      role: "user",
      content: [{ type: "text", text: "look" }, ...(chatBody(dataUrl(first)).messages[0]?.content ?? [])],
    },
  ];
  const ask = async (...more: object[]) => {
    messages.push(...more);
    const reply = await post("/v1/chat/completions", { messages, max_tokens: 4 });
    messages.push(reply.json<{ choices: [{ message: object }] }>().choices[0].message);
  };
  await ask();
  await ask({ role: "user", content: "and?" });
  await ask({ role: "user", content: chatBody(dataUrl(second)).messages[0]?.content });
  await ask({ role: "user", content: "all?" });
  expect(recorded.interactionCount).toBe(4);
  for (let index = 1; index < 4; index++) expect(recorded.interaction(index).parent).toBe(index - 1);
  expect(recorded.interaction(3).images?.map(({ sha256 }) => sha256)).toEqual([digestOf(first), digestOf(second)]);
  expect(vision.received).toBe(2);

  const damaged = {
    messages: [{ role: "user", content: chatBody(dataUrl(first.subarray(0, 15_000))).messages[0]?.content }],
  };
  const reply = await proxy.post("/v1/chat/completions", damaged, (await proxy.session()).key);
  expect(reply.status).toBe(400);
  expect(reply.error.message).toContain("messages[0].content[0].image_url.url is a damaged image");
});

it("leaves arguments of tools unchanged in a request with an image", async () => {
  const { post, recorded } = await start();
  const data = toBase64(picture());
  const source = { type: "base64", media_type: "image/png", data: toBase64(picture()) };
  await post("/v1/messages", {
    model: "any",
    max_tokens: 4,
    messages: [
      { role: "user", content: [{ type: "image", source }] },
      { role: "assistant", content: [{ type: "tool_use", id: "1", name: "save", input: { data } }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "done" }] },
    ],
    tools: [{ name: "save", input_schema: { type: "object" } }],
  });
  const { input, images } = recorded.interaction(0);
  expect(JSON.stringify(input.added).includes(data)).toBe(true);
  expect(images).toHaveLength(1);
});

it.each([
  ["are read as images", (url: string) => chatBody(url)],
  ["are elsewhere", (url: string) => ({ ...chatBody(), tools: [{ url }] })],
])("refuses a body that is nested too deeply with 400 if its image data %s", async (_, write) => {
  const { proxy } = await start();
  const body = { ...write(dataUrl(picture())), stop: JSON.parse("[".repeat(200) + "]".repeat(200)) as unknown };
  const reply = await proxy.post("/v1/chat/completions", body, (await proxy.session()).key);
  expect({ status: reply.status, code: reply.error.code }).toEqual({ status: 400, code: "body_too_complex" });
});
