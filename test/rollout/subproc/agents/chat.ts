import OpenAI from "openai";

/** As an agent in a subprocess makes its client: all of it from the environment. */
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
