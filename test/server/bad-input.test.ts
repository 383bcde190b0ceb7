import { request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type Reply, type StartedSession } from "../helpers/proxy.js";

/**
 * Every bad input gets a clear error and leaves the session unchanged: the session of each test has one interaction before,
 * and exports exactly that interaction afterwards.
 */

let proxy: Proxy;
let session: StartedSession;
let kept: string;

beforeAll(async () => {
  proxy = await Proxy.start({ settings: { maxBodyBytes: 8 * 1024 * 1024 } });
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
const JSON_TYPE = { "content-type": "application/json" };

function raw(payload: string | Buffer, headers: Record<string, string> = JSON_TYPE): Promise<Reply> {
  return proxy.request({ method: "POST", url: "/v1/chat/completions", payload, headers }, session.key);
}

describe("a missing required field", () => {
  it.each([
    ["/v1/chat/completions", {}, "messages"],
    ["/v1/chat/completions", { messages: [{ content: "hi" }] }, "messages[0].role"],
    ["/v1/messages", { messages: USER, model: "m" }, "max_tokens"],
  ])("is reported as required: %s %j", async (url, payload, field) => {
    const reply = await proxy.request({ method: "POST", url, payload, headers: JSON_TYPE }, session.key);
    expect(reply.status).toBe(400);
    expect(reply.error.message).toBe(`${field}: is required`);
  });
});

describe("an unreadable body", () => {
  it.each(["{", '{"messages": [}', "not json", '{"a":1} trailing', '"\\ud800', "\u0000"])(
    "is rejected with 400 if it is not JSON: %j",
    async (text) => {
      const reply = await raw(text);
      expect(reply.refusal).toBe("400 invalid_json");
      expect(reply.raw.toString()).not.toContain("node_modules");
    },
  );

  it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"])(
    "is rejected with 415 if its content-type is %s",
    async (type) => {
      const reply = await raw(JSON.stringify({ messages: USER }), { "content-type": type });
      expect(reply.refusal).toBe("415 unsupported_media_type");
    },
  );

  it.each(["short", "long ".repeat(5000)])("is rejected with 400 if it is not UTF-8", async (content) => {
    const text = JSON.stringify({ messages: [{ role: "user", content: `${content}|` }] });
    const reply = await raw(Buffer.from(text.replace("|", "\u00ff"), "latin1"));
    expect(reply.refusal).toBe("400 invalid_json");
    expect(reply.error.message).toContain("UTF-8");
  });

  it.each(["gzip", "zstd", "deflate, br"])("is rejected with 415 if it is compressed with %s", async (coding) => {
    const reply = await raw(JSON.stringify({ messages: USER }), { ...JSON_TYPE, "content-encoding": coding });
    expect(reply.refusal).toBe("415 unsupported_media_type");
    expect(reply.error.message).toContain(coding);
  });

  it("is rejected with 413 if it is larger than the limit", async () => {
    const reply = await raw(Buffer.alloc(9 * 1024 * 1024, 32));
    expect(reply.refusal).toBe("413 body_too_large");
    const limit = proxy.app.initialConfig.bodyLimit;
    expect(reply.error.message).toContain(
      `at most ${limit} bytes (server.max_body_bytes); received ${9 * 1024 * 1024}`,
    );
  });

  it("of 100 MB without content-length is rejected or its connection closed, and the server keeps running", async () => {
    await proxy.app.listen({ host: "127.0.0.1", port: 0 });
    const { port } = proxy.app.server.address() as AddressInfo;
    const status = await new Promise<number | string>((resolve) => {
      const upload = httpRequest(
        {
          port,
          path: "/v1/chat/completions",
          method: "POST",
          headers: { ...JSON_TYPE, authorization: `Bearer ${session.key}` },
        },
        (reply) => resolve(reply.resume().statusCode ?? 0),
      );
      upload.on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "error"));
      const piece = Buffer.alloc(1024 * 1024, 32);
      const send = (left: number) => {
        if (left === 0 || upload.destroyed) upload.end();
        else upload.write(piece, () => send(left - 1));
      };
      send(100);
    });
    expect([413, "EPIPE", "ECONNRESET"]).toContain(status);
    expect((await proxy.request({ url: "/health" }, null)).status).toBe(200);
  });

  it.each([
    '{"__proto__": {"polluted": true}}',
    String.raw`{"__pr\u006fto__": {"polluted": true}}`,
    '{"messages": [{"role": "user", "content": "x", "constructor": {"prototype": {"polluted": 1}}}]}',
    String.raw`{"c\u006fnstructor": {"prototype": {"polluted": true}}}`,
    '{"messages": [{"role": "user", "content": "x", "__proto__": {"polluted": 1}}]}',
  ])("is rejected with 400 if a key could change a prototype: %s", async (text) => {
    expect((await raw(text)).refusal).toBe("400 invalid_json");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  it("is rejected with 400 if it is not an object", async () => {
    for (const text of ["[]", "1", '"text"', "null"]) expect((await raw(text)).status).toBe(400);
  });

  it("counts as {} if it is empty, whatever its content-type", async () => {
    for (const headers of [{}, JSON_TYPE, { "content-type": "application/octet-stream" }] as Record<string, string>[]) {
      const reply = await proxy.request({ method: "POST", url: "/grant_capacity", headers });
      expect(reply.status).toBe(200);
    }
    expect((await proxy.request({ method: "POST", url: "//grant_capacity" })).status).toBe(200);
  });
});

describe("invalid messages", () => {
  it.each([
    ["none", {}, "messages"],
    ["an empty list", { messages: [] }, "messages"],
    ["not a list", { messages: "hello" }, "messages"],
    ["an unknown role", { messages: [{ role: "wizard", content: "x" }] }, "messages[0].role"],
    ["no role", { messages: [{ content: "x" }] }, "messages[0].role"],
    ["no content", { messages: [{ role: "user" }] }, "messages[0].content"],
    ["a number as content", { messages: [...USER, { role: "user", content: 5 }] }, "messages[1].content"],
    [
      "a video",
      { messages: [{ role: "user", content: [{ type: "video_url", video_url: { url: "data:" } }] }] },
      "messages[0].content[0].type",
    ],
    ["a tool result without a call id", { messages: [{ role: "tool", content: "x" }] }, "messages[0].tool_call_id"],
    [
      "arguments that are not text",
      { messages: [{ role: "assistant", tool_calls: [{ id: "1", function: { name: "f", arguments: {} } }] }] },
      "messages[0].tool_calls[0].function.arguments",
    ],
    [
      "a template variable with the name of a request field",
      { messages: USER, chat_template_kwargs: { enable_thinking: true, messages: [] } },
      "chat_template_kwargs.messages",
    ],
  ])("are rejected with 400 and the name of the field: %s", async (_, body, param) => {
    const reply = await raw(JSON.stringify(body));
    expect(reply.refusal).toBe("400 invalid_value");
    expect(reply.error.param).toBe(param);
    expect(reply.error.type).toBe("invalid_request_error");
  });
});

describe("long lists of wrong elements", () => {
  it.each([
    ["messages", `{"messages":[${"1,".repeat(4000)}1]}`, "messages[0]"],
    ["content parts", `{"messages":[{"role":"user","content":[${"1,".repeat(40_000)}1]}]}`, "messages[0].content[0]"],
    ["tools", `{"messages":[{"role":"user","content":"x"}],"tools":[${"1,".repeat(500)}1]}`, "tools[0]"],
  ])("are rejected with 400 and the first wrong element: %s", async (_, text, param) => {
    const reply = await raw(text);
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", param]);
  });
});

const LONG = "x".repeat(300_000);
const CHAT = "/v1/chat/completions";
const tool = (name: string) => ({ type: "function", function: { name } });
const schema = { type: "object", description: LONG };

describe("long texts outside of the messages", () => {
  it.each<[what: string, url: string, body: object, param: string]>([
    ["a model name", CHAT, { messages: USER, model: LONG }, "model"],
    ["a model name", "/v1/responses", { input: "x", model: LONG }, "model"],
    ["a model name", "/v1/messages", { max_tokens: 8, messages: USER, model: LONG }, "model"],
    ["a stop string", CHAT, { messages: USER, stop: LONG }, "stop"],
    ["one of several stop strings", CHAT, { messages: USER, stop: ["x", LONG] }, "stop[1]"],
    ["a stop sequence", "/v1/messages", { max_tokens: 8, messages: USER, stop_sequences: [LONG] }, "stop_sequences[0]"],
    [
      "a schema",
      CHAT,
      { messages: USER, response_format: { type: "json_schema", json_schema: { name: "s", schema } } },
      "response_format.json_schema.schema",
    ],
    [
      "a schema",
      "/v1/responses",
      { input: "x", text: { format: { type: "json_schema", name: "s", schema } } },
      "text.format.schema",
    ],
    [
      "a schema",
      "/v1/messages",
      { max_tokens: 8, messages: USER, output_config: { format: { type: "json_schema", schema } } },
      "output_config.format.schema",
    ],
  ])("are rejected with 400 and the name of the field: %s at %s", async (_, url, body, param) => {
    const reply = await proxy.post(url, body, session.key);
    expect(reply.status).toBe(400);
    expect(reply.error.message).toContain(param);
    expect(reply.error.message).toMatch(/at most [0-9]+ characters/);
    expect(reply.raw.length).toBeLessThan(1000);
  });

  it("are not repeated in the error: a tool choice that names an unknown tool", async () => {
    const body = { messages: USER, tools: [tool("f")], tool_choice: tool(LONG) };
    const reply = await proxy.post(CHAT, body, session.key);
    expect(reply.refusal).toBe("400 invalid_value");
    expect(reply.raw.length).toBeLessThan(1000);
  });
});

describe("bodies that try to exhaust the server", () => {
  it.each([
    ["a million numbers as messages", `{"messages":[${"1,".repeat(1_000_000)}1]}`],
    ["a million numbers as content parts", `{"messages":[{"role":"user","content":[${"1,".repeat(1_000_000)}1]}]}`],
    ["a million numbers as tools", `{"messages":[],"tools":[${"1,".repeat(1_000_000)}1]}`],
  ])("are rejected with 400 before they are parsed: %s", async (_, text) => {
    expect((await raw(text)).refusal).toBe("400 body_too_complex");
  });

  it.each(["tools", "chat_template_kwargs"])(
    "are rejected with 400 if %s is nested 100,000 levels deep",
    async (field) => {
      const deep = "[".repeat(100_000) + "]".repeat(100_000);
      const value =
        field === "tools" ? `[{"type":"function","function":{"name":"f","parameters":${deep}}}]` : `{"a":${deep}}`;
      const reply = await raw(`{"messages":[{"role":"user","content":"x"}],"${field}":${value}}`);
      expect(reply.refusal).toBe("400 body_too_complex");
    },
  );
});

describe("invalid parameters", () => {
  it.each([
    ["temperature", -1],
    ["temperature", 2.5],
    ["temperature", "warm"],
    ["top_p", 0],
    ["top_p", 1.5],
    ["max_tokens", 0],
    ["max_tokens", 1.5],
    ["max_completion_tokens", -3],
    ["stop", 7],
    ["stop", [""]],
    ["seed", "x"],
    ["frequency_penalty", 3],
    ["presence_penalty", -3],
    ["logprobs", 1],
    ["top_logprobs", 21],
    ["top_logprobs", 3],
    ["tool_choice", "required"],
    ["tools", [{ type: "custom" }]],
  ])("are rejected as out of range: %s %j", async (name, value) => {
    const reply = await proxy.chat(session, USER, { [name]: value });
    expect(reply.refusal).toBe("400 invalid_value");
    expect(reply.error.param?.startsWith(name)).toBe(true);
  });

  it.each([
    ["response_format", { type: "json_object" }],
    ["audio", {}],
    ["functions", []],
    ["verbosity", "high"],
  ])("are rejected as unsupported: %s %j", async (name, value) => {
    const reply = await proxy.chat(session, USER, { [name]: value });
    expect(reply.refusal).toBe("400 unsupported_parameter");
    expect(reply.error.param).toBe(name);
  });

  it.each([
    ["parallel_tool_calls", false],
    ["tool_choice", "required"],
    ["tool_choice", { type: "function", function: { name: "f" } }],
  ])("are rejected as unsupported by an engine without grammars: %s %j", async (name, value) => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const reply = await proxy.chat(session, USER, { tools, [name]: value });
    expect(reply.refusal).toBe("400 unsupported_parameter");
    expect(reply.error.param).toBe(name);
  });

  it("are rejected by name if they are unknown", async () => {
    const reply = await proxy.chat(session, USER, { temprature: 1 });
    expect(reply.refusal).toBe("400 unknown_parameter");
    expect(reply.error.param).toBe("temprature");
  });
});

describe("a prompt that does not fit the context", () => {
  const long = "word ".repeat(100);
  const protocols = [
    ["/v1/chat/completions", "messages", /maximum context length is 40 tokens.*resulted in \d+ tokens\.$/],
    ["/v1/responses", "input", /maximum context length is 40 tokens.*resulted in \d+ tokens\.$/],
    ["/v1/messages", "messages", /^prompt is too long: \d+ tokens > 39 maximum$/],
  ] as const;
  const makeBody = (field: string, content: string) => ({
    model: "tiny",
    max_tokens: 5,
    [field]: field === "input" ? content : [{ role: "user", content }],
  });

  it.each(protocols)(
    "is rejected with 400 in the words of the protocol, with both token counts, streamed or not: %s",
    async (url, field, said) => {
      proxy.engine.context = 40;
      for (const stream of [false, true]) {
        const sent = url === "/v1/responses" ? { max_output_tokens: 20, max_tokens: undefined } : {};
        const reply = await proxy.post(url, { ...makeBody(field, long), ...sent, stream }, session.key);
        expect(reply.refusal).toBe("400 context_length_exceeded");
        expect(reply.error).toMatchObject({ type: "invalid_request_error", param: field, context_length: 40 });
        expect(reply.error.message).toMatch(said);
        expect(reply.error.message).toContain(` ${String(reply.error["prompt_tokens"])} tokens`);
      }
      proxy.engine.context = 16_384;
      expect(proxy.engine.calls.filter(({ prompt }) => prompt.length > 39)).toEqual([]);
    },
  );

  it("is accepted if there is room for one output token", async () => {
    const other = await proxy.session();
    const { prompt_tokens } = (await proxy.chat(other, USER)).json<{ usage: { prompt_tokens: number } }>().usage;
    proxy.engine.context = prompt_tokens;
    expect((await proxy.chat(other, USER)).refusal).toBe("400 context_length_exceeded");
    proxy.engine.context = prompt_tokens + 1;
    const reply = await proxy.chat(other, USER);
    proxy.engine.context = 16_384;
    expect(reply.json()).toMatchObject({ usage: { prompt_tokens, completion_tokens: 1 } });
  });

  it("is rejected if it is a single message of 1 MB", async () => {
    const reply = await proxy.chat(session, [{ role: "user", content: "x y ".repeat(262_144) }]);
    expect(reply.refusal).toBe("400 context_length_exceeded");
  });

  it("is not encoded to its end if it is many times too long", async () => {
    proxy.engine.context = 1000;
    const before = proxy.context.model.cacheStats.bytes;
    const reply = await proxy.chat(session, [{ role: "user", content: "far too long ".repeat(500_000) }]);
    proxy.engine.context = 16_384;
    expect(reply.refusal).toBe("400 context_length_exceeded");
    expect(reply.error.message).toMatch(/resulted in \d+ tokens or more\.$/);
    const counted = Number(reply.error["prompt_tokens"]);
    expect(counted).toBeGreaterThan(1000);
    expect(counted).toBeLessThan(300_000);
    // Encoded completely, 6.5 million characters would give millions of tokens with four bytes each.
    expect(proxy.context.model.cacheStats.bytes - before).toBeLessThan(8_000_000);
  });
});

describe("unknown paths and methods", () => {
  it.each([
    ["GET", "/v1/chat/completions"],
    ["POST", "/v1/embeddings"],
    ["DELETE", "/rl/sessions"],
    ["GET", "/../../etc/passwd"],
    ["GET", "/%"],
    ["GET", `/v1/responses/${"x".repeat(600)}`],
  ] as const)("are answered with 404: %s %s", async (method, url) => {
    const reply = await proxy.request({ method, url });
    expect(reply.refusal).toBe("404 not_found");
    expect(reply.raw.toString()).not.toMatch(/\bat .*:\d+/);
  });
});
