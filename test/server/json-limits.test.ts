import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { JSON_LIMITS } from "../../src/server/start.js";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";

/**
 * A body that exceeds a limit is refused before it is parsed, and its session is unchanged. The session of each test has one
 * interaction before, and exports exactly that interaction afterwards.
 */

let proxy: Proxy;
let session: StartedSession;
let kept: string;

beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
  kept = (await proxy.chat(session, USER)).json<{ id: string }>().id;
});
afterEach(async () => {
  await proxy.end(session);
  const { interactions } = (await proxy.export(session)).json<WireExport>();
  expect(Object.keys(interactions)).toEqual([kept]);
});

const USER = [{ role: "user", content: "hello" }];
const TOOL = { type: "function", function: { name: "f", parameters: {} } };
const MESSAGES = JSON.stringify(USER);
const MOST = JSON_LIMITS.values;

const times = (count: number, text: string): string => Array.from({ length: count }, () => text).join(",");

function post(url: string, payload: string): Promise<Reply> {
  return proxy.request({ method: "POST", url, payload, headers: { "content-type": "application/json" } }, session.key);
}

const CHAT = "/v1/chat/completions";

describe("the body of a model call is refused", () => {
  it.each<[what: string, url: string, body: string, message: string, param: string | null]>([
    [
      "with too many messages",
      CHAT,
      `{"messages":[${times(4097, '{"role":"user","content":"x"}')}]}`,
      "`messages` must have at most 4,096 items.",
      "messages",
    ],
    [
      "with too many items of `input`",
      "/v1/responses",
      `{"input":[${times(4097, '{"role":"user","content":"x"}')}]}`,
      "`input` must have at most 4,096 items.",
      "input",
    ],
    [
      "with too many tools",
      CHAT,
      `{"messages":${MESSAGES},"tools":[${times(513, JSON.stringify(TOOL))}]}`,
      "`tools` must have at most 512 items.",
      "tools",
    ],
    [
      "with too many keys in one object",
      CHAT,
      `{"messages":${MESSAGES},"metadata":{${Array.from({ length: 4097 }, (_, i) => `"k${i}":"v"`).join(",")}}}`,
      "An object of the body has more than 4,096 keys.",
      null,
    ],
    [
      "with too many values",
      CHAT,
      `{"messages":${MESSAGES},"extra":[${times(MOST, "true")}]}`,
      "The body has more than 50,000 JSON values.",
      null,
    ],
    [
      "with too many values in the arguments of tool calls",
      CHAT,
      JSON.stringify({
        messages: [
          ...USER,
          ...["a", "b"].map((id) => ({
            role: "assistant",
            tool_calls: [
              { id, type: "function", function: { name: "f", arguments: `{"x":[${times(MOST / 2, "true")}]}` } },
            ],
          })),
        ],
      }),
      "The body has more than 50,000 JSON values.",
      null,
    ],
    [
      "that is nested too deeply",
      CHAT,
      `{"messages":${MESSAGES},"extra":${"[".repeat(64)}${"]".repeat(64)}}`,
      "The body has arrays and objects in more than 64 levels.",
      null,
    ],
    ["of brackets alone", CHAT, "[".repeat(2_000_000), "The body has arrays and objects in more than 64 levels.", null],
  ])("%s", async (_, url, body, message, param) => {
    const { status, error } = await post(url, body);
    expect({ status, error }).toMatchObject({ status: 400, error: { code: "body_too_complex", message, param } });
  });
});

it("refuses a response whose earlier messages and own input together are too many", async () => {
  const input = (count: number) => Array.from({ length: count }, () => ({ role: "user", content: "x" }));
  proxy.engine.context = 1 << 17;
  const other = await proxy.session();
  const first = await proxy.post("/v1/responses", { input: input(2000), instructions: "x" }, other.key);
  const { id: previous_response_id } = first.json<{ id: string }>();
  const continueWith = (count: number) =>
    proxy.post("/v1/responses", { input: input(count), previous_response_id, store: false }, other.key);
  const { status, error } = await continueWith(2096);
  expect({ status, error }).toMatchObject({
    status: 400,
    error: {
      code: "body_too_complex",
      message: "The earlier conversation and `input` have 4,097 messages together; at most 4,096 are allowed.",
      param: "previous_response_id",
    },
  });
  expect((await continueWith(2095)).status).toBe(200);
});

it("says so in the shape of Anthropic's API on its path", async () => {
  const reply = await post("/v1/messages", `{"messages":[${times(4097, '{"role":"user","content":"x"}')}]}`);
  expect(reply.json()).toMatchObject({
    type: "error",
    error: { type: "invalid_request_error", code: "body_too_complex", param: "messages" },
  });
});

it("lets a call at its limits through to the schema of its route", async () => {
  const messages = times(4096, '{"role":"nobody","content":"x"}');
  const reply = await post(CHAT, `{"messages":[${messages}]}`);
  expect(reply.error).toMatchObject({ code: "invalid_value", param: "messages[0].role" });
});

it("does not limit how many sessions an export names", async () => {
  const ids = Array.from({ length: 60_000 }, (_, i) => `no-session-${i}`);
  const reply = await proxy.request({ method: "POST", url: "/export_batch", payload: { session_ids: ids } });
  expect(reply.error.code).toBe("session_not_found");
});
