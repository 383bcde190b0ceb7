import type OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StartedSession } from "../helpers/proxy.js";
import { ServedAgents, toolCall } from "../helpers/served-agents.js";
import { readData } from "../helpers/sse.js";

/** Tools of type `namespace` in the responses API. Chat templates have no namespaces. */

let agents: ServedAgents;
let session: StartedSession;
beforeAll(async () => {
  agents = await ServedAgents.start({ model: { toolCallParser: "hermes" }, settings: { chatTemplateType: "concat" } });
  session = await agents.session();
});
afterAll(() => agents.close());

const parameters = { type: "object", properties: { message: { type: "string" } } };
const member = (name: string, description = `Does ${name}.`) => ({ type: "function", name, description, parameters });
const namespace = (name: string, ...members: object[]) => ({
  type: "namespace",
  name,
  description: `About ${name}.`,
  tools: members,
});
const tools = [member("run"), namespace("agents", member("spawn"), member("close"))];

const post = (body: object) => agents.proxy.post("/v1/responses", { input: "hello", tools, ...body }, session.key);

const lastPrompt = () => {
  const { engine, context } = agents.proxy;
  return context.model.decode(engine.calls.at(-1)?.prompt.tokens() ?? new Int32Array(), { skipSpecialTokens: false });
};

const call = { type: "function_call", name: "spawn", namespace: "agents", arguments: '{"message":"hi"}' };

describe("a tool of a namespace", () => {
  it("has a name in the prompt that begins with the namespace", async () => {
    await post({});
    for (const name of ["run", "agents__spawn", "agents__close"]) expect(lastPrompt()).toContain(`"name": "${name}"`);
  });

  it("has the description of the namespace before its own, if it is the first", async () => {
    await post({});
    expect(lastPrompt()).toContain('"description": "About agents.\\n\\nDoes spawn."');
    expect(lastPrompt()).toContain('"description": "Does close."');
  });

  it("keeps a separator with which the namespace ends", async () => {
    await post({ tools: [namespace("mcp__files__", member("read"))] });
    expect(lastPrompt()).toContain('"name": "mcp__files__read"');
  });

  it("is answered with name and namespace apart", async () => {
    await agents.say(toolCall("agents__spawn", { message: "hi" }));
    const { output } = (await post({})).json<OpenAI.Responses.Response>();
    expect(output).toMatchObject([call]);
  });

  it("is answered so in every event of a stream", async () => {
    await agents.say(toolCall("agents__spawn", { message: "hi" }));
    const reply = await post({ stream: true });
    const events = readData<OpenAI.Responses.ResponseStreamEvent>(reply.raw.toString());
    const named = events.flatMap((event) => {
      if (event.type === "response.output_item.added" || event.type === "response.output_item.done") return event.item;
      return event.type === "response.completed" ? event.response.output : [];
    });
    expect(named).toMatchObject(Array(3).fill({ name: "spawn", namespace: "agents" }));
    expect(events).toContainEqual(
      expect.objectContaining({ type: "response.function_call_arguments.done", name: "spawn" }),
    );
  });

  it("is answered so when the response is retrieved", async () => {
    await agents.say(toolCall("agents__spawn", { message: "hi" }));
    const { id } = (await post({})).json<{ id: string }>();
    const stored = await agents.proxy.request({ url: `/v1/responses/${id}` }, session.key);
    expect(stored.json()).toMatchObject({ output: [call] });
  });

  it("can be chosen by namespace and name", async () => {
    const named = [{ type: "function", name: "close", namespace: "agents" }];
    const reply = await post({ tool_choice: { type: "allowed_tools", mode: "auto", tools: named } });
    expect(reply.refusal).toBe("200");
    expect(lastPrompt()).toContain("agents__close");
    expect(lastPrompt()).not.toContain("agents__spawn");
  });

  it("is refused if another tool has the same name", async () => {
    const reply = await post({ tools: [member("a__b"), namespace("a", member("b"))] });
    expect(reply.refusal).toBe("400 invalid_value");
    expect(reply.error.message).toBe('tools: two tools have the name "a__b", namespace included.');
  });
});

describe("a call of a function without a namespace", () => {
  it("is answered without one, whatever its name", async () => {
    await agents.say(toolCall("agents__unknown", {}));
    const { output } = (await post({})).json<OpenAI.Responses.Response>();
    expect(output[0]).toMatchObject({ name: "agents__unknown" });
    expect(output[0]).not.toHaveProperty("namespace");
  });
});

describe("a conversation with a namespaced call", () => {
  it.each([
    ["the call itself", (_: string, item: object) => [item]],
    ["a reference to it", (id: string) => [{ type: "item_reference", id }]],
  ])("goes on token by token after %s", async (_, resend) => {
    const own = await agents.session();
    const ask = (input: unknown) => agents.proxy.post("/v1/responses", { input, tools }, own.key);
    const user = { role: "user", content: "hello" };
    await agents.say(toolCall("agents__spawn", { message: "hi" }));
    const first = (await ask([user])).json<OpenAI.Responses.Response>();
    const item = first.output[0] as OpenAI.Responses.ResponseFunctionToolCall;
    await agents.say("Done.");
    const result = { type: "function_call_output", call_id: item.call_id, output: "ok" };
    await ask([user, ...resend(item.id ?? "", item), result]);
    const { interactions } = await agents.recorded(own);
    expect(interactions).toMatchObject([{ parent_id: null }, { parent_id: first.id, token_exact: true }]);
  });
});
