import OpenAI from "openai";

/** An agent that creates its client from the environment alone, as in a subprocess. */
export class ChatAgent {
  async run({ topic }: { readonly topic: string }): Promise<number> {
    if (topic === "crash") process.exit(9);
    const client = new OpenAI({
      baseURL: process.env.COMPAT_BASE_URL,
      apiKey: process.env.COMPAT_API_KEY,
      maxRetries: 0,
    });
    const messages = [{ role: "user", content: topic }] as const;
    await client.chat.completions.create({ model: "any", messages: [...messages] });
    return topic.length;
  }
}
