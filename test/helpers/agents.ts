import OpenAI from "openai";
import type { Agent, AgentContext, AgentReward } from "../../src/rollout/contract.js";

/** Creates OpenAI's client as agents do. */
export function openAi({ base_url, api_key, http_client }: AgentContext): OpenAI {
  return new OpenAI({ baseURL: base_url, apiKey: api_key, fetch: http_client, maxRetries: 0 });
}

/** Has a conversation of several turns over OpenAI's SDK. Returns the completion ids. */
export async function converse(
  context: AgentContext,
  topic: string,
  turns: number,
  parameters: { max_tokens?: number; seed?: number } = {},
): Promise<string[]> {
  const client = openAi(context);
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: topic }];
  const ids: string[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const { id, choices } = await client.chat.completions.create({ model: "tiny", messages, ...parameters });
    ids.push(id);
    const content = choices[0]?.message.content ?? "";
    messages.push({ role: "assistant", content }, { role: "user", content: `And then, ${turn}?` });
  }
  return ids;
}

/** Returns an agent that makes this many turns. Its reward is the result of `reward` for their ids. */
export function agentOf(turns: number, reward: (ids: string[]) => unknown): Agent<string> {
  return { run: async (topic, context) => reward(await converse(context, topic, turns)) as AgentReward };
}
