import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { GrammarEngine } from "../helpers/scripted-engine.js";

/** Tools that only the API's own server can run: `rollout.agent.server_tools` says whether requests with them are refused. */

const messages = [{ role: "user", content: "hello" }];
const schema = { type: "object", properties: { cmd: { type: "string" } } };

const CHAT = "/v1/chat/completions";
const RESPONSES = "/v1/responses";
const MESSAGES = "/v1/messages";

/** A request of each API without tools, and its own tool `run`. */
const PLAIN: Readonly<Record<string, object>> = {
  [CHAT]: { messages },
  [RESPONSES]: { input: "hello" },
  [MESSAGES]: { messages, max_tokens: 8 },
};
const OWN: Readonly<Record<string, object>> = {
  [CHAT]: { type: "function", function: { name: "run", parameters: schema } },
  [RESPONSES]: { type: "function", name: "run", parameters: schema },
  [MESSAGES]: { name: "run", input_schema: schema },
};

const SERVER_TOOLS: [string, object, string][] = [
  [CHAT, { type: "web_search" }, "web_search"],
  [RESPONSES, { type: "web_search", external_web_access: true }, "web_search"],
  [RESPONSES, { type: "image_generation" }, "image_generation"],
  [RESPONSES, { type: "code_interpreter", container: { type: "auto" } }, "code_interpreter"],
  [RESPONSES, { type: "mcp", server_label: "s", server_url: "https://example.com" }, "mcp"],
  [RESPONSES, { type: "a_tool_of_next_year" }, "a_tool_of_next_year"],
  [MESSAGES, { type: "web_search_20250305", name: "web_search", max_uses: 8 }, "web_search_20250305"],
  [MESSAGES, { type: "mcp_toolset", mcp_server_name: "s" }, "mcp_toolset"],
];

/** Other fields that ask for a server-side tool. */
const SERVER_FIELDS: [string, object, string][] = [
  [CHAT, { web_search_options: {} }, "web_search_options"],
  [MESSAGES, { mcp_servers: [{ type: "url", name: "s", url: "https://example.com" }] }, "mcp_servers"],
];

const CLIENT_TOOLS: [string, object][] = [
  [CHAT, { type: "custom", custom: { name: "x" } }],
  [RESPONSES, { type: "custom", name: "apply_patch" }],
  [RESPONSES, { type: "local_shell" }],
  [RESPONSES, { type: "computer_use_preview" }],
  [RESPONSES, { type: "tool_search", execution: "client" }],
  [CHAT, { type: "namespace", name: "n", tools: [] }],
  [MESSAGES, { type: "function", function: { name: "run", parameters: schema } }],
  [MESSAGES, { type: "bash_20250124", name: "bash" }],
  [MESSAGES, { type: "text_editor_20250728", name: "str_replace_based_edit_tool" }],
];

describe("with server_tools: refuse, the default", () => {
  let proxy: Proxy;
  let session: StartedSession;
  beforeAll(async () => {
    proxy = await Proxy.start();
    session = await proxy.session();
  });
  afterAll(() => proxy.close());

  it.each(SERVER_TOOLS)("%s refuses %j and names the setting", async (url, tool) => {
    const reply = await proxy.post(url, { ...PLAIN[url], tools: [OWN[url], tool] }, session.key);
    expect([reply.status, reply.error.param]).toEqual([400, "tools[1].type"]);
    expect(reply.error.message).toContain('Set rollout.agent.server_tools to "drop"');
  });

  it.each(SERVER_FIELDS)("%s refuses %j", async (url, fields, name) => {
    const { refusal, error } = await proxy.post(url, { ...PLAIN[url], ...fields }, session.key);
    expect([refusal, error.param]).toEqual(["400 unsupported_parameter", name]);
  });

  it("refuses to count the tokens of a message with such a tool", async () => {
    const body = { messages, tools: [{ type: "web_search_20250305", name: "web_search" }] };
    const reply = await proxy.post("/v1/messages/count_tokens", body, session.key);
    expect(reply.refusal).toBe("400 unsupported_parameter");
  });

  it("refuses a choice of such a tool that is not declared", async () => {
    const body = { input: "hello", tools: [OWN[RESPONSES]], tool_choice: { type: "web_search" } };
    expect((await proxy.post(RESPONSES, body, session.key)).error.param).toBe("tool_choice");
  });
});

describe("with server_tools: drop", () => {
  let proxy: Proxy<GrammarEngine>;
  let session: StartedSession;
  beforeAll(async () => {
    proxy = await Proxy.start({
      engine: new GrammarEngine(),
      model: { toolCallParser: "hermes" },
      settings: { serverTools: "drop" },
    });
    session = await proxy.session();
  });
  afterAll(() => proxy.close());

  const lastPrompt = () => [...(proxy.engine.calls.at(-1)?.prompt.tokens() ?? [])];

  it.each(SERVER_TOOLS)("%s leaves %j out of the prompt and names it in a header", async (url, tool, type) => {
    const body = { ...PLAIN[url], tools: [OWN[url]] };
    const without = await proxy.post(url, body, session.key);
    const expected = lastPrompt();
    const reply = await proxy.post(url, { ...body, tools: [OWN[url], tool] }, session.key);
    expect(reply.refusal).toBe("200");
    expect(lastPrompt()).toEqual(expected);
    expect(without.headers["x-rolltape-dropped-tools"]).toBeUndefined();
    expect(reply.headers["x-rolltape-dropped-tools"]).toBe(type);
  });

  it.each(SERVER_FIELDS)("%s leaves out %j", async (url, fields, name) => {
    await proxy.post(url, { ...PLAIN[url] }, session.key);
    const expected = lastPrompt();
    const reply = await proxy.post(url, { ...PLAIN[url], ...fields }, session.key);
    expect([reply.refusal, reply.headers["x-rolltape-dropped-tools"]]).toEqual(["200", name]);
    expect(lastPrompt()).toEqual(expected);
  });

  it("sends the header before a streamed answer", async () => {
    const body = { input: "hello", stream: true, tools: [{ type: "web_search" }, { type: "mcp" }] };
    const reply = await proxy.post(RESPONSES, body, session.key);
    expect(reply.headers["x-rolltape-dropped-tools"]).toBe("web_search, mcp");
  });

  it.each([
    [RESPONSES, { tools: [{ type: "web_search" }], tool_choice: { type: "web_search" } }],
    [RESPONSES, { tools: [{ type: "web_search" }], tool_choice: "required" }],
    [CHAT, { tools: [{ type: "web_search" }], tool_choice: "required" }],
    [MESSAGES, { tools: [{ type: "web_search_20250305", name: "w" }], tool_choice: { type: "tool", name: "w" } }],
    [MESSAGES, { tools: [{ type: "web_search_20250305", name: "w" }], tool_choice: { type: "any" } }],
  ])("%s answers without a call if %j can only mean a dropped tool", async (url, fields) => {
    const reply = await proxy.post(url, { ...PLAIN[url], ...fields }, session.key);
    expect(reply.refusal).toBe("200");
    expect(proxy.engine.calls.at(-1)?.sampling.grammar).toBeUndefined();
  });

  it("limits a choice between several tools to those that are left", async () => {
    const tools = [OWN[RESPONSES], { type: "web_search" }];
    const named = [{ type: "function", name: "run" }, { type: "web_search" }];
    const choice = { type: "allowed_tools", mode: "auto", tools: named };
    await proxy.post(RESPONSES, { input: "hello", tools: [OWN[RESPONSES]] }, session.key);
    const expected = lastPrompt();
    const reply = await proxy.post(RESPONSES, { input: "hello", tools, tool_choice: choice }, session.key);
    expect(reply.refusal).toBe("200");
    expect(lastPrompt()).toEqual(expected);
  });

  it.each(CLIENT_TOOLS)("%s refuses %j, which the client would run", async (url, tool) => {
    const { refusal, error } = await proxy.post(url, { ...PLAIN[url], tools: [tool] }, session.key);
    expect(refusal).toBe("400 invalid_value");
    expect(error.message).toMatch(/^tools\[0\]\.(type|execution): only .* are supported/);
  });

  it("echoes the tools of a response as they were requested", async () => {
    const tools = [{ type: "web_search", external_web_access: true }];
    const reply = await proxy.post(RESPONSES, { input: "hello", tools }, session.key);
    expect(reply.json()).toMatchObject({ tools });
  });

  it("cuts a long list of types", async () => {
    const tools = Array.from({ length: 100 }, (_, i) => ({ type: `a_tool_with_a_long_name_${i}` }));
    const { headers } = await proxy.post(RESPONSES, { input: "hello", tools }, session.key);
    expect(String(headers["x-rolltape-dropped-tools"])).toHaveLength(256);
  });
});

describe("the dropped tools of a call", () => {
  const tools = [{ type: "web_search" }, { type: "image_generation" }];
  const start = (directory: string) => Proxy.start({ settings: { serverTools: "drop" }, storage: { directory } });

  it("are in its row and in its JSON, also after a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-dropped-tools-"));
    const first = await start(directory);
    const session = await first.session();
    await first.post(RESPONSES, { input: "hello", tools }, session.key);
    await first.post(RESPONSES, { input: "hello" }, session.key);
    await first.end(session);
    await first.close();

    const proxy = await start(directory);
    const batch = readSafetensors(
      (await proxy.post("/export_batch", { session_ids: [session.id], acknowledge: true })).raw,
    );
    const codes = (JSON.parse(batch.metadata["row_codes"] ?? "{}") as Record<string, string[]>)["dropped_tools"];
    expect(codes).toEqual(["web_search, image_generation"]);
    expect(batch.tensors["row_dropped_tools"]?.data).toEqual([0, -1]);
    const { interactions } = (await proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions)).toMatchObject([
      { dropped_tools: ["web_search", "image_generation"] },
      { dropped_tools: [] },
    ]);
    await proxy.close();
    rmSync(directory, { recursive: true });
  });
});
