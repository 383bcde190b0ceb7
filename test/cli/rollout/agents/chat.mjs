import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";

/** Two turns, rewarded by what its task says; or what else the task tells. */
export const agent = {
  async run({ question, reward, rewards, aside, fail, hang, until }, context) {
    // In a subprocess the environment has address and key.
    const client = new OpenAI({
      baseURL: context.base_url ?? process.env.COMPAT_BASE_URL,
      apiKey: context.api_key ?? process.env.COMPAT_API_KEY,
      ...(context.http_client && { fetch: context.http_client }),
      maxRetries: 0,
    });
    const messages = [{ role: "user", content: question }];
    const ids = [];
    for (let turn = 0; turn < 2; turn++) {
      const { id, choices } = await client.chat.completions.create({ model: "any", messages, max_tokens: 4 });
      ids.push(id);
      messages.push(
        { role: "assistant", content: choices[0].message.content ?? "" },
        { role: "user", content: "again" },
      );
    }
    // A call beside the conversation, as agents make for titles.
    if (aside) {
      const title = [{ role: "user", content: `A title for: ${question}` }];
      await client.chat.completions.create({ model: "any", messages: title, max_tokens: 4 });
    }
    if (until) {
      // The key says which of several proxy workers has the session.
      process.stderr.write(`an agent waits on ${context.api_key}\n`);
      while (!existsSync(until)) await sleep(20);
      await client.chat.completions.create({ model: "any", messages, max_tokens: 4 });
    }
    if (fail) throw new Error(fail);
    if (hang) {
      process.stderr.write("an agent hangs\n");
      await new Promise(() => {});
    }
    return rewards ? Object.fromEntries(rewards.map((each, turn) => [ids[turn], each])) : reward;
  },
};
