import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport } from "../helpers/export-json.js";
import { ServedAgents } from "../helpers/served-agents.js";

/** Clients replace calls of tools that they do not have, and keep the id. The prompt still continues what the model wrote. */

const OPTIONS = { settings: { chatTemplateType: "concat" }, model: { toolCallParser: "hermes" } } as const;

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start(OPTIONS);
});
afterAll(() => agents.close());

const TOOLS = ["look", "invalid"].map((name) => ({ type: "function" as const, function: { name } }));

/** Makes two turns. The client replaces the call of the first with a call of the tool `invalid`. */
async function callAndReplace(called: string) {
  const { session, client } = await agents.openai();
  const user = { role: "user" as const, content: "weather?" };
  const create = (messages: object[]) =>
    client.chat.completions.create({ model: "m", tools: TOOLS, messages: messages as never });
  await agents.say(`<tool_call>\n{ "name":"${called}" ,"arguments": {"of" :"rain"} }\n</tool_call>`);
  const message = (await create([user])).choices[0]?.message;
  const calls = (message?.tool_calls ?? []).map(({ id }) => ({
    id,
    type: "function",
    function: { name: "invalid", arguments: JSON.stringify({ tool: called, error: "no such tool" }) },
  }));
  const results = calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "no such tool" }));
  await agents.say("done");
  await create([user, { role: "assistant", content: null, tool_calls: calls }, ...results]);
  return agents.recorded(session);
}

describe("a replaced call", () => {
  it("is continued token by token if its tool was not declared", async () => {
    const { interactions, exported, logged } = await callAndReplace("fly");
    expect(interactions.map(({ token_exact }) => token_exact)).toEqual([false, true]);
    expect(interactions[1]?.parent_id).toBe(interactions[0]?.interaction_id);
    const before = exported[0]?.ids ?? [];
    expect(exported[1]?.ids.slice(0, before.length)).toEqual(before);
    expect(exported).toEqual(logged);
  });

  it("is shown to the model as the client wrote it if its tool was declared", async () => {
    const { interactions } = await callAndReplace("look");
    expect(interactions.map(({ token_exact }) => token_exact)).toEqual([false, false]);
  });

  it("is continued after a restart, too", async () => {
    const directory = mkdtempSync(join(tmpdir(), "rolltape-replaced-"));
    const first = await ServedAgents.start({ ...OPTIONS, storage: { directory } });
    const session = await first.session();
    const user = { role: "user", content: "weather?" };
    await first.say('<tool_call>\n{"name": "fly", "arguments": {}}\n</tool_call>');
    const answer = await first.proxy.chat(session, [user], { tools: TOOLS });
    const [call] = answer.json<{ choices: [{ message: { tool_calls: [{ id: string }] } }] }>().choices[0].message
      .tool_calls;
    await first.proxy.close();

    const second = await ServedAgents.start({ ...OPTIONS, storage: { directory } });
    const replaced = { ...call, function: { name: "invalid", arguments: "{}" } };
    const result = { role: "tool", tool_call_id: call.id, content: "no such tool" };
    await second.say("done");
    const messages = [user, { role: "assistant", content: null, tool_calls: [replaced] }, result];
    await second.proxy.chat(session, messages, { tools: TOOLS });
    await second.proxy.end(session);
    const { interactions } = (await second.proxy.export(session)).json<WireExport>();
    expect(Object.values(interactions).map(({ token_exact }) => token_exact)).toEqual([false, true]);
    await second.proxy.close();
    rmSync(directory, { recursive: true });
  });
});
