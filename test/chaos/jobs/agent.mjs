import { appendFileSync } from "node:fs";
import { callTwice } from "../rollout/agent.mjs";

/** Makes two calls, notes that it is done, and returns the number of its task. */
export const agent = {
  async run({ number }, context) {
    await callTwice(number, context);
    appendFileSync(process.env.CHAOS_DONE_FILE, `${number}\n`);
    return number;
  },
};
