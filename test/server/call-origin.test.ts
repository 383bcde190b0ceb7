import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { Proxy, type StartedSession } from "../helpers/proxy.js";
import { readSafetensors } from "../helpers/safetensors.js";

const hello = [{ role: "user", content: "hello" }];
const tool = { type: "function", function: { name: "run", parameters: { type: "object" } } };

const NOTHING = { tag: null, request_kind: null, agent_id: null, parent_agent_id: null, turn_id: null };

describe("the origin of a call", () => {
  let proxy: Proxy;
  beforeAll(async () => {
    proxy = await Proxy.start();
  });
  afterAll(() => proxy.close());

  /** Returns what is recorded of a call with these headers. */
  async function record(headers: object, extra: object = {}): Promise<object> {
    const session = await proxy.session();
    const { status } = await proxy.chat(session, hello, extra, headers);
    expect(status).toBe(200);
    await proxy.end(session);
    const [recorded] = Object.values((await proxy.export(session)).json<WireExport>().interactions);
    return recorded ?? {};
  }

  it("is empty if the request has no such headers", async () => {
    expect(await record({})).toMatchObject({ ...NOTHING, requested_model: "tiny", tools: 0 });
  });

  it("has the number of tools that the prompt showed", async () => {
    expect(await record({}, { tools: [tool] })).toMatchObject({ tools: 1 });
    expect(await record({}, { tools: [tool], tool_choice: "none" })).toMatchObject({ tools: 0 });
  });

  it("has the caller's tag", async () => {
    expect(await record({ "x-rolltape-tag": "title:v1" })).toMatchObject({ ...NOTHING, tag: "title:v1" });
  });

  it("has the agent ids that Claude Code sends", async () => {
    const headers = { "x-claude-code-agent-id": "a1", "x-claude-code-parent-agent-id": "a0" };
    expect(await record(headers)).toMatchObject({ ...NOTHING, agent_id: "a1", parent_agent_id: "a0" });
  });

  it("has the thread ids, turn id and request kind that Codex sends", async () => {
    const metadata = {
      thread_id: "t1",
      parent_thread_id: "t0",
      turn_id: "5",
      request_kind: "compaction",
      workspaces: { "/home/me": {} },
    };
    expect(await record({ "x-codex-turn-metadata": JSON.stringify(metadata) })).toMatchObject({
      tag: null,
      agent_id: "t1",
      parent_agent_id: "t0",
      turn_id: "5",
      request_kind: "compaction",
    });
  });

  it.each([
    ["a long agent id", { "x-claude-code-agent-id": "a".repeat(129) }],
    ["an agent id with a space", { "x-claude-code-agent-id": "a b" }],
    ["an agent id that is not ASCII", { "x-claude-code-agent-id": "\u00e9" }],
    ["an empty agent id", { "x-claude-code-agent-id": "" }],
    ["metadata that is not JSON", { "x-codex-turn-metadata": "{" }],
    ["metadata that is no object", { "x-codex-turn-metadata": "null" }],
    ["metadata of other types", { "x-codex-turn-metadata": '{"turn_id":5,"request_kind":["turn"],"thread_id":null}' }],
    ["long metadata", { "x-codex-turn-metadata": JSON.stringify({ turn_id: "5", rest: "x".repeat(16_384) }) }],
  ])("is nothing for %s, and the call succeeds", async (_, headers) => {
    expect(await record(headers)).toMatchObject(NOTHING);
  });

  it.each(["", "a b", "a".repeat(65), "caf\u00e9"])("refuses the tag %j with 400", async (tag) => {
    const session = await proxy.session();
    const reply = await proxy.chat(session, hello, {}, { "x-rolltape-tag": tag });
    expect([reply.refusal, reply.error.param]).toEqual(["400 invalid_value", "x-rolltape-tag"]);
  });
});

describe("the rows of calls with an origin", () => {
  it("have tags and kinds in columns and agents in the metadata, also after a restart", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-call-origin-"));
    const first = await Proxy.start({ storage: { directory } });
    const session: StartedSession = await first.session();
    const codex = JSON.stringify({ thread_id: "t1", turn_id: "5", request_kind: "turn" });
    await first.chat(session, hello, { tools: [tool] }, { "x-rolltape-tag": "main", "x-codex-turn-metadata": codex });
    await first.chat(session, [{ role: "user", content: "title" }]);
    await first.end(session);
    await first.close();

    const proxy = await Proxy.start({ storage: { directory } });
    const { metadata, tensors } = readSafetensors(
      (await proxy.post("/export_batch", { session_ids: [session.id] })).raw,
    );
    const codes = JSON.parse(metadata["row_codes"] ?? "{}") as Record<string, string[]>;
    expect([codes["tag"], codes["request_kind"]]).toEqual([["main"], ["turn"]]);
    expect(tensors["row_tag"]?.data).toEqual([0, -1]);
    expect(tensors["row_request_kind"]?.data).toEqual([0, -1]);
    expect(tensors["row_tools"]?.data).toEqual([1, 0]);
    const [main, title] = JSON.parse(metadata["rows"] ?? "[]") as object[];
    expect(main).toMatchObject({ agent_id: "t1", turn_id: "5" });
    expect(main).not.toHaveProperty("parent_agent_id");
    expect(title).not.toHaveProperty("agent_id");
    await proxy.close();
    rmSync(directory, { recursive: true });
  });
});
