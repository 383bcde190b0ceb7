import OpenAI from "openai";
import type { Agent } from "rolltape";

const TURNS = 4;

/** An agent: a chat program, and the reward for what it made. Retries are off, as a recorded agent needs it. */
export const haikuAgent: Agent<string> = {
  async run(subject, { base_url, api_key, http_client }) {
    const client = new OpenAI({ baseURL: base_url, apiKey: api_key, fetch: http_client, maxRetries: 0 });
    return scoreHaiku(await writeHaiku(client, "tiny", subject, TURNS));
  },
};

/** An ordinary chat program: it asks a model for a poem, then has it revised, and knows nothing of training. */
async function writeHaiku(client: OpenAI, model: string, subject: string, turns: number): Promise<string[]> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "You write haiku. Answer with the poem only." },
    { role: "user", content: `Write a haiku about ${subject}.` },
  ];
  const drafts: string[] = [];
  for (let turn = 1; ; turn++) {
    const completion = await client.chat.completions.create({ model, messages, max_tokens: 24 });
    const draft = completion.choices[0]?.message.content ?? "";
    drafts.push(draft);
    if (turn === turns) return drafts;
    messages.push({ role: "assistant", content: draft }, { role: "user", content: "Say it with fewer words." });
  }
}

/** The verifier: how much shorter the last draft is than the first, in [0, 1]. */
function scoreHaiku(drafts: readonly string[]): number {
  const [first = "", last = ""] = [drafts[0], drafts.at(-1)];
  if (first.length === 0) return 0;
  return Math.max(0, Math.min(1, 1 - last.length / first.length));
}
