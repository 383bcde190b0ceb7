import { AdminClient } from "../../src/client/admin-client.js";
import { ConnectionPool } from "../../src/client/connection-pool.js";
import { HttpTransport } from "../../src/client/transport.js";

/** Makes the HTTP calls of a trainer and its agents, for tests with a running server. */
export class HttpTrainer {
  readonly #url: string;
  readonly #adminKey: string;
  readonly #admin: AdminClient;

  constructor(url: string, adminKey: string) {
    this.#url = url;
    this.#adminKey = adminKey;
    this.#admin = new AdminClient(new HttpTransport(url, new ConnectionPool()), adminKey);
  }

  async openSession(): Promise<{ id: string; key: string }> {
    await this.#admin.grantCapacity();
    const { sessionId, sessionApiKey } = await this.#admin.startSession();
    return { id: sessionId, key: sessionApiKey };
  }

  /** Has a conversation of several turns, sends each answer back unchanged, sets a reward and ends the session. Returns its id. */
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

  exportBatch(sessionIds: readonly string[], options: object = {}): Promise<Uint8Array> {
    return this.#admin.exportBatch(sessionIds, options);
  }

  /** Sends a POST with the admin key or a session key. If the server refuses it, throws an error with the server's message. */
  async post(path: string, body: object, key = this.#adminKey): Promise<Response> {
    const reply = await fetch(this.#url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply;
  }
}
