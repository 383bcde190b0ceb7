import OpenAI from "openai";
import type { Agent, AgentContext } from "../../src/index.js";
import { randomText } from "../../test/helpers/random.js";

export const TURNS = 8;

/** Characters of what every task begins with, of its own question, and of what comes back to the model after a turn. */
const [SYSTEM, QUESTION, OBSERVATION] = [2_000, 2_000, 400];

type Messages = OpenAI.ChatCompletionMessageParam[];
type Complete = (messages: Messages) => Promise<string>;

const system = randomText(SYSTEM, 1);
const observations = Array.from({ length: TURNS }, (_, turn) => randomText(OBSERVATION, 2 + turn));

/** A conversation that grows by an answer and an observation with each turn. Its data is the number of the task. */
function conversing(connect: (context: AgentContext) => Complete): Agent<number> {
  return {
    async run(task, context) {
      const complete = connect(context);
      const messages: Messages = [
        { role: "system", content: system },
        { role: "user", content: `${task}: ${randomText(QUESTION, 1000 + task)}` },
      ];
      for (const observation of observations) {
        const content = await complete(messages);
        messages.push({ role: "assistant", content }, { role: "user", content: observation });
      }
      return 1;
    },
  };
}

/** What people write. */
export const sdkAgent = conversing(({ base_url, api_key, http_client }) => {
  const client = new OpenAI({ baseURL: base_url, apiKey: api_key, fetch: http_client, maxRetries: 0 });
  return async (messages) => {
    const { choices } = await client.chat.completions.create({ model: "tiny", messages });
    return choices[0]?.message.content ?? "";
  };
});

/** The least that an agent can do. */
export const fetchAgent = conversing(({ base_url, api_key, http_client }) => async (messages) => {
  const reply = await http_client(`${base_url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "tiny", messages }),
  });
  if (!reply.ok) throw new Error(`the proxy answered ${reply.status}: ${await reply.text()}`);
  const { choices } = (await reply.json()) as { choices: [{ message: { content: string } }] };
  return choices[0].message.content;
});
