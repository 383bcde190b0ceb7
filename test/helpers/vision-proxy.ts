import { expect, onTestFinished } from "vitest";
import type { Engine } from "../../src/engine/engine.js";
import { createVllmEngine } from "../../src/engine/index.js";
import type { PageFiles } from "../../src/view/http/page-files.js";
import { EngineVision } from "./engine-vision.js";
import { dataUrl } from "./images.js";
import { Proxy, type ProxyOptions, type StartedSession } from "./proxy.js";
import { IMAGE_TOKEN } from "./vision-files.js";
import { writeVisionModel } from "./vision-model.js";
import { startVllmServer } from "./vllm/vllm-server.js";

const PAGE: PageFiles = new Map([["index.html", { type: "text/html", content: Buffer.from("<!doctype html>") }]]);

/** Starts a proxy with `/ui` whose model sees images, before a test server of vLLM. Both are closed when the test ends. */
export async function startVisionProxy({
  page = PAGE,
  ...options
}: Pick<ProxyOptions<Engine>, "storage"> & { readonly page?: PageFiles } = {}): Promise<Proxy<Engine>> {
  const server = await startVllmServer({ vision: new EngineVision(IMAGE_TOKEN) });
  const engine: Engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  const folder = await writeVisionModel();
  const proxy = await Proxy.start({ engine, folder, settings: { images: "tokens", ui: page }, ...options });
  onTestFinished(async () => {
    await proxy.close();
    await engine.close();
    await server.close();
  });
  return proxy;
}

/** Sends a message with an image between two texts, and returns the conversation with the answer. */
export async function sendImage(proxy: Proxy<Engine>, { key }: StartedSession, file: Uint8Array): Promise<object[]> {
  const content = [
    { type: "text", text: "Before " },
    { type: "image_url", image_url: { url: dataUrl(file) } },
    { type: "text", text: " after" },
  ];
  const messages = [{ role: "user", content }];
  const reply = await proxy.post("/v1/chat/completions", { messages, max_tokens: 8 }, key);
  expect(reply.refusal).toBe("200");
  const { choices } = reply.json<{ choices: [{ message: object }] }>();
  return [...messages, choices[0].message];
}
