import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Proxy, type Reply } from "../helpers/proxy.js";

/** Fields that do not change the result have limits, so that an agent cannot fill the memory with them. */

let proxy: Proxy;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());

const MESSAGES = [{ role: "user", content: "hello" }];

async function post(url: string, payload: object): Promise<Reply> {
  const { key } = await proxy.session();
  return proxy.request({ method: "POST", url, payload }, key);
}

const APIS = [
  { url: "/v1/chat/completions", body: { messages: MESSAGES } },
  { url: "/v1/responses", body: { input: "hello" } },
];

describe.each(APIS)("metadata of $url", ({ url, body }) => {
  const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, "value"]));

  it("is accepted up to OpenAI's limits", async () => {
    const metadata = { ...pairs(15), ["k".repeat(64)]: "v".repeat(512) };
    const reply = await post(url, { ...body, metadata });
    expect(reply.status).toBe(200);
  });

  it.each([
    ["too many pairs", pairs(17), "metadata: must have at most 16 pairs; received 17"],
    ["a long value", { note: "v".repeat(513) }, "metadata.note: must have at most 512 characters"],
    [
      "a long key",
      { ["k".repeat(65)]: "v" },
      `metadata: keys must have at most 64 characters; received 65 ("${"k".repeat(64)}…")`,
    ],
  ])("is refused with %s", async (_, metadata, message) => {
    const { status, error } = await post(url, { ...body, metadata });
    expect({ status, error }).toMatchObject({ status: 400, error: { code: "invalid_value", message } });
  });
});

describe("chat_template_kwargs", () => {
  it.each([...APIS, { url: "/v1/messages", body: { messages: MESSAGES, max_tokens: 5 } }])(
    "have a limit in $url",
    async ({ url, body }) => {
      const accepted = await post(url, { ...body, chat_template_kwargs: { text: "x".repeat(65_525) } });
      expect(accepted.status).toBe(200);
      const { status, error } = await post(url, { ...body, chat_template_kwargs: { text: "x".repeat(65_526) } });
      expect({ status, error }).toMatchObject({
        status: 400,
        error: {
          param: "chat_template_kwargs",
          message: "chat_template_kwargs: must have at most 65536 characters as JSON",
        },
      });
    },
  );
});
