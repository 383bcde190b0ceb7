import { appendFileSync } from "node:fs";
import OpenAI from "openai";

/** Makes two calls, the second of which continues the first. */
export const agent = {
  async run({ number }, { base_url, api_key }) {
    const openai = new OpenAI({ baseURL: `${base_url}/v1`, apiKey: api_key });
    const messages = [{ role: "user", content: `What is task ${number}?` }];
    for (let turn = 0; turn < 2; turn++) {
      const { choices } = await openai.chat.completions.create({ model: "policy", messages, max_tokens: 24 });
      messages.push(choices[0].message, { role: "user", content: "Go on." });
    }
    appendFileSync(process.env.FINISHED_EPISODES, `${number}\n`);
    return number;
  },
};
