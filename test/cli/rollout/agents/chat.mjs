import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import OpenAI from "openai";

/** Makes two calls and returns the reward in its task. The task can also tell it to fail, to hang or to wait. */
export const agent = {
  async run({ question, reward, rewards, aside, fail, hang, until, seconds }, context) {
    // In a subprocess, the address and the key are in the environment.
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
    // A side call outside the conversation, as real agents make to find a title.
    if (aside) {
      const title = [{ role: "user", content: `A title for: ${question}` }];
      await client.chat.completions.create({ model: "any", messages: title, max_tokens: 4 });
    }
    if (until) {
      // The key contains the tag of the proxy worker that has the session.
      process.stderr.write(`an agent waits on ${context.api_key}\n`);
      while (!existsSync(until)) await sleep(20);
      await client.chat.completions.create({ model: "any", messages, max_tokens: 4 });
    }
    if (seconds) await sleep(seconds * 1000);
    if (fail) throw new Error(fail);
    if (hang) {
      process.stderr.write("an agent hangs\n");
      await new Promise(() => {});
    }
    return rewards ? Object.fromEntries(rewards.map((each, turn) => [ids[turn], each])) : reward;
  },
};
