import Anthropic from "@anthropic-ai/sdk";
import type { ResponseInputItem, ResponseOutputItem } from "openai/resources/responses/responses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WireExport } from "../../helpers/export-json.js";
import type { StartedSession } from "../../helpers/proxy.js";
import { ServedAgents } from "../../helpers/served-agents.js";

/** Clients that send back the signature of their reasoning without its text keep it in the conversation. */

let agents: ServedAgents;
beforeAll(async () => {
  agents = await ServedAgents.start({ model: { reasoningParser: "qwen3" } });
});
afterAll(() => agents.close());

const THOUGHT = "One and two.";
const SAID = `<think>\n${THOUGHT}\n</think>\n\nThree.`;
const user = { role: "user" as const, content: "1+2?" };
const next = { role: "user" as const, content: "And 2+3?" };

/** Returns the reasoning of the answers that the newest recorded call was shown. */
async function shownReasoning(session: StartedSession): Promise<(string | undefined)[]> {
  await agents.proxy.end(session);
  const exported = await agents.proxy.export(session, { include: ["messages"] });
  const { interactions } = exported.json<WireExport>();
  const messages = (Object.values(interactions).at(-1)?.messages ?? []) as unknown as Shown[];
  return messages.filter(({ role }) => role === "assistant").map(({ reasoning_content }) => reasoning_content);
}

interface Shown {
  readonly role: string;
  readonly reasoning_content?: string;
}

describe("a thinking block", () => {
  async function conversation(isStreamed: boolean) {
    const session = await agents.session();
    const client = new Anthropic({ baseURL: agents.url, apiKey: session.key, authToken: null, maxRetries: 0 });
    const body = { model: "tiny", max_tokens: 64 };
    await agents.say(SAID, 1);
    const first = isStreamed
      ? await client.messages.stream({ ...body, messages: [user] }).finalMessage()
      : await client.messages.create({ ...body, messages: [user] });
    const [block] = first.content;
    if (block?.type !== "thinking") throw new Error(`the first block is ${block?.type}`);
    const goOn = async (thinking: Anthropic.ContentBlockParam[]) => {
      await agents.say("Five.");
      const content = [...thinking, ...first.content.slice(1)];
      await client.messages.create({ ...body, messages: [user, { role: "assistant", content }, next] });
      return shownReasoning(session);
    };
    return { block, goOn };
  }

  it.each([true, false])("is read from its signature if its text is empty (streamed: %s)", async (isStreamed) => {
    const { block, goOn } = await conversation(isStreamed);
    expect(block.signature).not.toBe("");
    expect(await goOn([{ ...block, thinking: "" }])).toEqual([THOUGHT]);
  });

  it("is read once, however many blocks have its signature", async () => {
    const { block, goOn } = await conversation(false);
    const empty = { ...block, thinking: "" };
    expect(await goOn([empty, empty, { type: "redacted_thinking", data: block.signature }])).toEqual([THOUGHT]);
  });

  it("keeps the text that the client sends", async () => {
    const { block, goOn } = await conversation(false);
    expect(await goOn([{ ...block, thinking: "Hm." }])).toEqual(["Hm."]);
  });

  const unknown = { type: "thinking" as const, thinking: "", signature: "of another model" };

  it("is that of the recorded answer if its signature is unknown", async () => {
    const { goOn } = await conversation(false);
    expect(await goOn([unknown])).toEqual([THOUGHT]);
  });

  it("has no text if its signature is unknown and the answer is another one", async () => {
    const { goOn } = await conversation(false);
    expect(await goOn([unknown, { type: "text", text: "Not " }])).toEqual([undefined]);
  });

  it("has no text if the client sends none and no signature", async () => {
    const { goOn } = await conversation(false);
    expect(await goOn([])).toEqual([undefined]);
  });
});

describe("a reasoning item", () => {
  it.each([true, false])("is read from encrypted_content if it has no text (streamed: %s)", async (isStreamed) => {
    const { session, client } = await agents.openai();
    await agents.say(SAID, 1);
    const body = { model: "tiny", input: [user], store: false };
    const first = isStreamed
      ? await client.responses.stream(body).finalResponse()
      : await client.responses.create(body);
    await agents.say("Five.");
    const output = first.output.map(withoutText) as ResponseInputItem[];
    await client.responses.create({ model: "tiny", input: [user, ...output, next] });
    expect(await shownReasoning(session)).toEqual([THOUGHT]);
  });
});

/** Leaves out what clients leave out that keep no state on the server. */
function withoutText(item: ResponseOutputItem) {
  if (item.type !== "reasoning") return item;
  return { type: item.type, id: item.id, summary: [], encrypted_content: item.encrypted_content };
}
