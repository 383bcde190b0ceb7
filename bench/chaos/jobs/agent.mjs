import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Makes two calls with pauses, notes that it is done, and returns the number of its task. */
export const agent = {
  async run({ number }, { base_url, api_key, http_client }) {
    for (let turn = 0; turn < 2; turn++) {
      const reply = await http_client(`${base_url}/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
        body: JSON.stringify({ messages: [{ role: "user", content: `${number}, ${turn}` }], max_tokens: 4 }),
      });
      if (!reply.ok) throw new Error(await reply.text());
      await reply.json();
      await sleep(100 + (number % 7) * 40);
    }
    appendFileSync(process.env.CHAOS_DONE_FILE, `${number}\n`);
    return number;
  },
};
