import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Makes two calls, the second of which continues the first. Its reward is the number of its task. */
export const agent = {
  async run({ number }, { base_url, api_key, http_client }) {
    const messages = [{ role: "user", content: `What is task ${number}?` }];
    for (let turn = 0; turn < 2; turn++) {
      const reply = await http_client(`${base_url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
        body: JSON.stringify({ messages, max_tokens: 24 }),
      });
      if (!reply.ok) throw new Error(await reply.text());
      const { choices } = await reply.json();
      messages.push(choices[0].message, { role: "user", content: "Go on." });
      await sleep(50 + (number % 7) * 30);
    }
    appendFileSync(process.env.SCALE_DONE_FILE, `${number}\n`);
    return number;
  },
};
