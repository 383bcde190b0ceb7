import { describe, expect, it, onTestFinished } from "vitest";
import type { StartedSession } from "../helpers/proxy.js";
import { ServedAgents, toolCall } from "../helpers/served-agents.js";

/** The count before a call equals the usage of the call, also if its prompt continues sampled tokens. */

const TOOLS = [{ name: "f", input_schema: { type: "object", properties: { a: { type: "integer" } } } }];

/** Outputs with reasoning that the agent drops, and a call with white space that the template would not write. */
const SAID = [
  "<think>\nhm\n</think>\n\nhello",
  `<think>\nwell\n</think>\n\n${toolCall("f", { b: 2, a: 1 }).replaceAll(",", " , ")}`,
  "done",
];

interface Answer {
  readonly content: readonly { readonly type: string; readonly id?: string }[];
  readonly usage: { readonly input_tokens: number };
}

async function open(chatTemplateType: "hf" | "concat") {
  const agents = await ServedAgents.start({
    settings: { chatTemplateType },
    model: { reasoningParser: "qwen3", toolCallParser: "hermes" },
  });
  onTestFinished(() => agents.close());
  return { agents, session: await agents.session() };
}

function next({ content }: Answer): object[] {
  const call = content.find(({ type }) => type === "tool_use");
  const said = { role: "assistant", content: content.filter(({ type }) => type !== "thinking") };
  const result = call && [{ type: "tool_result", tool_use_id: call.id, content: "42" }];
  return [said, { role: "user", content: result ?? "go on" }];
}

async function countAndSend({ proxy }: ServedAgents, { key }: StartedSession, messages: readonly object[]) {
  const body = { model: "tiny", messages, tools: TOOLS };
  const counted = await proxy.post("/v1/messages/count_tokens", body, key);
  const answer = (await proxy.post("/v1/messages", { ...body, max_tokens: 500 }, key)).json<Answer>();
  return { counted: counted.json<{ input_tokens: number }>().input_tokens, answer };
}

describe.each(["hf", "concat"] as const)("count_tokens with %s", (chatTemplateType) => {
  it("returns the same number as usage.input_tokens of the call", async () => {
    const { agents, session } = await open(chatTemplateType);
    let messages: object[] = [{ role: "user", content: "hi" }];
    for (const text of SAID) {
      await agents.say(text);
      const { counted, answer } = await countAndSend(agents, session, messages);
      expect(counted).toBe(answer.usage.input_tokens);
      messages = [...messages, ...next(answer)];
    }
    const { interactions } = await agents.recorded(session);
    expect(interactions.map(({ token_exact }) => token_exact)).toEqual([
      false,
      ...SAID.slice(1).map(() => chatTemplateType === "concat"),
    ]);
  });
});

it("counts prompts longer than the context, and refuses a session whose data is freed", async () => {
  const { agents, session } = await open("concat");
  const { proxy } = agents;
  proxy.engine.context = 8;
  const body = { model: "tiny", messages: [{ role: "user", content: "a b c d e f g h i j" }] };
  const count = () => proxy.post("/v1/messages/count_tokens", body, session.key);
  expect((await count()).json<{ input_tokens: number }>().input_tokens).toBeGreaterThan(8);
  proxy.context.registry.get(session.id).free("expired");
  expect((await count()).refusal).toBe("410 session_expired");
});
