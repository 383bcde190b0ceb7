import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { expect, it, onTestFinished } from "vitest";
import { createVllmEngine } from "../../src/engine/index.js";
import { EngineVision } from "../helpers/engine-vision.js";
import { dataUrl, digestOf, makePng, toBase64 } from "../helpers/images.js";
import { listeningProxy } from "../helpers/listening-proxy.js";
import type { StartedSession } from "../helpers/proxy.js";
import { IMAGE_TOKEN } from "../helpers/vision-files.js";
import { writeVisionModel } from "../helpers/vision-model.js";
import { startVllmServer } from "../helpers/vllm/vllm-server.js";

/** Published clients send images as their API has them, and the engine gets each of them. */

const PICTURE = Uint8Array.from(makePng(100, 60));
const DATA = toBase64(PICTURE);

type Ask = (address: string, session: StartedSession) => Promise<unknown>;

const chat: Ask = (address, { key }) =>
  new OpenAI({ baseURL: `${address}/v1`, apiKey: key }).chat.completions.create({
    model: "any",
    max_tokens: 8,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: dataUrl(PICTURE) } },
        ],
      },
    ],
  });

const responses: Ask = async (address, { key }) => {
  const { responses: api } = new OpenAI({ baseURL: `${address}/v1`, apiKey: key });
  const image = { type: "input_image", image_url: dataUrl(PICTURE), detail: "auto" } as const;
  const first = await api.create({ model: "any", max_output_tokens: 8, input: [{ role: "user", content: [image] }] });
  // The request does not repeat the image.
  return api.create({ model: "any", max_output_tokens: 8, previous_response_id: first.id, input: "And now?" });
};

const messages: Ask = (address, { key }) => {
  const source = { type: "base64", media_type: "image/png", data: DATA } as const;
  return new Anthropic({ baseURL: address, apiKey: key }).messages.create({
    model: "any",
    max_tokens: 8,
    messages: [
      { role: "user", content: "look" },
      { role: "assistant", content: [{ type: "tool_use", id: "call", name: "read", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "call", content: [{ type: "image", source }] }],
      },
    ],
    tools: [{ name: "read", input_schema: { type: "object" } }],
  });
};

const generateContent: Ask = (address, { key }) =>
  new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: address } }).models.generateContent({
    model: "any",
    contents: [
      { role: "user", parts: [{ text: "What is this?" }, { inlineData: { mimeType: "image/png", data: DATA } }] },
    ],
    config: { maxOutputTokens: 8 },
  });

it.each([
  ["openai, chat completions", chat, 1],
  ["openai, responses with previous_response_id", responses, 2],
  ["@anthropic-ai/sdk, the result of a tool", messages, 1],
  ["@google/genai", generateContent, 1],
])("%s", async (_, ask, calls) => {
  const server = await startVllmServer({ vision: new EngineVision(IMAGE_TOKEN) });
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  onTestFinished(() => engine.close());
  onTestFinished(() => server.close());
  const options = { engine, folder: await writeVisionModel(), settings: { images: "tokens" } } as const;
  const { proxy, url } = await listeningProxy(options);
  const session = await proxy.session();
  await ask(url, session);
  const recorded = proxy.context.registry.get(session.id);
  const images = Array.from({ length: calls }, (_, index) => recorded.interaction(index).images);
  const image = { sha256: digestOf(PICTURE), mediaType: "image/png", width: 100, height: 60, length: 8 };
  expect(images).toMatchObject(images.map(() => [image]));
  expect(recorded.imageFile(image.sha256)).toEqual(PICTURE);
  const bodies = server.to("/inference/v1/generate").map(({ body }) => JSON.parse(body.toString()) as object);
  expect(bodies).toHaveLength(calls);
  expect(bodies[0]).toMatchObject({ content_parts: [{ uuid: image.sha256 }] });
});
