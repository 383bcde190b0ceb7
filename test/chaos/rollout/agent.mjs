import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const { CHAOS_KILLS_FILE, CHAOS_TASKS_PER_KILL } = process.env;

/** Makes two calls with a pause after each. */
export async function callTwice(number, { base_url, api_key, http_client }) {
  for (let turn = 0; turn < 2; turn++) {
    const reply = await http_client(`${base_url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${api_key}`, "content-type": "application/json" },
      body: JSON.stringify({ messages: [{ role: "user", content: `${number}, ${turn}` }], max_tokens: 4 }),
    });
    if (!reply.ok) throw new Error(await reply.text());
    await reply.json();
    await sleep(50 + (number % 7) * 30);
  }
}

/**
 * Makes two calls with a pause in between, and returns the number of its task. A task ends only after its share of kills,
 * so that kills are spread over the whole job on a machine of any speed.
 */
export const agent = {
  async run({ number }, context) {
    await callTwice(number, context);
    while (Number(readFileSync(CHAOS_KILLS_FILE, "utf8")) < Math.floor(number / CHAOS_TASKS_PER_KILL)) await sleep(50);
    return number;
  },
};
