import { Admin } from "../../examples/admin.js";

/** What a trainer and its agents do over HTTP, for tests that drive a running server. */
export class HttpTrainer extends Admin {
  async openSession(): Promise<{ id: string; key: string }> {
    const { session_id, session_api_key } = await this.startSession("task");
    return { id: session_id, key: session_api_key };
  }

  /** A conversation of several turns, each answer sent back as it came; ended and rewarded. Answers the session's id. */
  async converse(topic: string, turns: number, parameters: object): Promise<string> {
    const { id, key } = await this.openSession();
    const messages: object[] = [{ role: "user", content: `Tell me of ${topic}.` }];
    for (let turn = 0; turn < turns; turn++) {
      const message = await this.chat(key, messages, parameters);
      messages.push(message, { role: "user", content: `And then, ${turn}?` });
    }
    await this.post("/rl/set_reward", { reward: 1 }, key);
    await this.post("/rl/end_session", {}, key);
    return id;
  }

  async chat(key: string, messages: readonly object[], parameters: object): Promise<object> {
    const reply = await this.post("/v1/chat/completions", { messages, ...parameters }, key);
    const { choices } = (await reply.json()) as { choices: [{ message: object }] };
    return choices[0].message;
  }

  async exportBatch(sessionIds: readonly string[], options: object = {}): Promise<Uint8Array> {
    const reply = await this.post("/export_batch", { session_ids: sessionIds, ...options });
    return new Uint8Array(await reply.arrayBuffer());
  }
}
