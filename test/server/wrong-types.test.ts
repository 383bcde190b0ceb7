import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Proxy, type StartedSession } from "../helpers/proxy.js";

/** The error for a value of the wrong type or out of range says what is allowed and what was received. */

let proxy: Proxy;
let session: StartedSession;
beforeAll(async () => {
  proxy = await Proxy.start();
});
afterAll(() => proxy.close());
beforeEach(async () => {
  session = await proxy.session();
});

const IDS = { session_ids: ["task-0"] };
const LONG = "x".repeat(1000);

describe("a control call", () => {
  it.each([
    ["/grant_capacity", { slots: "2" }, 'slots: must be an integer from 1 to 1000000; received "2"'],
    ["/grant_capacity", { slots: 1.5 }, "slots: must be an integer from 1 to 1000000; received 1.5"],
    ["/grant_capacity", { slots: 0 }, "slots: must be an integer from 1 to 1000000; received 0"],
    ["/rl/start_session", { group_id: 7 }, "group_id: must be text of 1 to 256 characters; received 7"],
    ["/rl/start_session", { group_id: "" }, 'group_id: must be text of 1 to 256 characters; received ""'],
    [
      "/rl/start_session",
      { group_id: LONG },
      `group_id: must be text of 1 to 256 characters; received "${"x".repeat(60)}…"`,
    ],
    ["/rl/set_version", { version: true }, "version: must be an integer from 0 to 2147483647; received true"],
    ["/rl/engine/resume", { hold: "yes" }, 'hold: must be true or false; received "yes"'],
    ["/rl/engine/pause", { mode: "stop" }, 'mode: must be one of abort, keep; received "stop"'],
    ["/rl/engine/pause", { servers: "http://a" }, 'servers: must be a list of values, each text; received "http://a"'],
    ["/rl/engine/pause", { servers: [5] }, "servers[0]: must be text; received 5"],
    ["/export_batch", { ...IDS, discount: "high" }, 'discount: must be a number from 0 to 1; received "high"'],
    ["/export_batch", { ...IDS, discount: 1.5 }, "discount: must be a number from 0 to 1; received 1.5"],
    ["/export_batch", { ...IDS, acknowledge: 1 }, "acknowledge: must be true or false; received 1"],
    ["/export_batch", { ...IDS, wait_seconds: [] }, "wait_seconds: must be a number from 0 to 86400; received a list"],
    [
      "/export_batch",
      { ...IDS, wait_seconds: {} },
      "wait_seconds: must be a number from 0 to 86400; received an object",
    ],
    ["/export_batch", { session_ids: [5] }, "session_ids[0]: must be text; received 5"],
    ["/export_batch", { session_ids: "task-0" }, 'session_ids: must be a list of values, each text; received "task-0"'],
    ["/export_batch", [], "request: must be an object; received a list"],
    [
      "/export_batch",
      { ...IDS, acknowledge: true, lease_seconds: 0 },
      "lease_seconds: must be a number above 0, at most 86400; received 0",
    ],
  ])("%s %j", async (path, body, message) => {
    const reply = await proxy.post(path, body);
    expect([reply.refusal, reply.error.message]).toEqual(["400 invalid_value", message]);
  });

  it("names a wrong parameter of the query", async () => {
    const { error } = await proxy.request({ url: "/rl/sessions?limit=all" });
    expect([error.message, error.param]).toEqual([
      'limit: must be an integer from 1 to 100000; received "all"',
      "limit",
    ]);
  });
});

describe("a call of an agent", () => {
  const messages = [{ role: "user", content: "hello" }];
  it.each([
    ["/rl/set_reward", { reward: 1, interaction_id: 5 }, /^interaction_id: must be text.*; received 5$/],
    [
      "/v1/chat/completions",
      { messages, temperature: "0" },
      /^temperature: must be a number from 0 to 2; received "0"$/,
    ],
    ["/v1/chat/completions", { messages, stream: 1 }, /^stream: must be true or false.*; received 1$/],
    ["/v1/chat/completions", { messages: "hello" }, /^messages: must be a list; received "hello"$/],
    [
      "/v1/chat/completions",
      { messages: [{ role: "user", content: 5 }] },
      /^messages\[0\]\.content: must be .*; received 5$/,
    ],
    [
      "/v1/chat/completions",
      { messages, logit_bias: { 10: 101 } },
      /^logit_bias\.10: must be at most 100; received 101$/,
    ],
    [
      "/v1/chat/completions",
      { messages, response_format: { type: "structural_tag" } },
      /^response_format\.type: must be one of text, json_object, json_schema; received "structural_tag"$/,
    ],
    [
      "/v1/messages",
      { messages, max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 10 } },
      /^thinking\.budget_tokens: must be at least 1024; received 10$/,
    ],
    [
      "/v1/messages",
      { messages, max_tokens: 5, tools: [{ type: "bash_20250124", name: "bash" }] },
      /^tools\[0\]\.type: only tools of type "custom" are supported; received one of type "bash_20250124"$/,
    ],
  ])("%s %j", async (path, body, message) => {
    const reply = await proxy.post(path, body, session.key);
    expect(reply.refusal).toBe("400 invalid_value");
    expect(reply.error.message).toMatch(message);
  });
});
