import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

let proxy: Proxy;
let session: StartedSession;
let url: string;
beforeAll(async () => {
  proxy = await Proxy.start();
  session = await proxy.session();
  url = await proxy.app.listen({ host: "127.0.0.1", port: 0 });
});
afterAll(() => proxy.close());

const BASES = ["", "/v1"];
const NAMES = ["tiny", "claude-of-another-name", "org/model"];

describe("the model list", () => {
  it.each(BASES)("is OpenAI's for OpenAI's SDK, at a base URL that ends in '%s'", async (base) => {
    const client = new OpenAI({ baseURL: url + base, apiKey: session.key, maxRetries: 0 });
    const { data } = await client.models.list();
    expect(data).toMatchObject([{ id: "tiny", object: "model", owned_by: "rolltape" }]);
  });

  it.each(BASES)("is Anthropic's for Anthropic's SDK, at a base URL that ends in '%s'", async (base) => {
    const client = new Anthropic({ baseURL: url + base, apiKey: session.key, maxRetries: 0 });
    const page = await client.models.list();
    expect(page).toMatchObject({ has_more: false, first_id: "tiny", last_id: "tiny" });
    expect(page.data).toMatchObject([{ id: "tiny", type: "model", display_name: "tiny", lifecycle: "active" }]);
    expect(page.data[0]?.max_input_tokens).toBeGreaterThan(0);
    expect(Date.parse(page.data[0]?.created_at ?? "")).toBeLessThanOrEqual(Date.now());
  });

  it("is Anthropic's for a client that sends only x-api-key", async () => {
    const reply = await proxy.request({ url: "/v1/models", headers: { "x-api-key": session.key } }, null);
    expect(reply.json()).toMatchObject({ has_more: false });
  });

  it("refuses an unknown key in the shape of the client's API", async () => {
    const unknown = { "anthropic-version": "2023-06-01", "x-api-key": "sk-nobody-knows-this" };
    const reply = await proxy.request({ url: "/v1/models", headers: unknown }, null);
    expect(reply.json()).toMatchObject({ type: "error", error: { type: "authentication_error" } });
    expect((await proxy.request({ url: "/v1/models" }, "sk-nobody-knows-this")).refusal).toBe("401 invalid_api_key");
  });
});

describe("one model", () => {
  it.each(NAMES)("is the served one under the name %s, as in model calls", async (name) => {
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: session.key, maxRetries: 0 });
    expect(await openai.models.retrieve(name)).toMatchObject({ id: "tiny", object: "model" });
    const anthropic = new Anthropic({ baseURL: url, apiKey: session.key, maxRetries: 0 });
    expect(await anthropic.models.retrieve(name)).toMatchObject({ id: "tiny", type: "model" });
  });

  it("is also found without /v1", async () => {
    expect((await proxy.request({ url: "/models/tiny" })).json()).toMatchObject({ id: "tiny", object: "model" });
  });
});
