/** The trainer's calls to the proxy, with nothing but fetch. */
export class Admin {
  readonly #url: string;
  readonly #key: string;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
  }

  async startSession(taskId: string): Promise<{ session_id: string; session_api_key: string }> {
    await this.post("/grant_capacity", {});
    const reply = await this.post("/rl/start_session", { task_id: taskId });
    return (await reply.json()) as { session_id: string; session_api_key: string };
  }

  /** Posts with the admin key, or with a session's. Throws what the server says where it refuses. */
  async post(path: string, body: object, key = this.#key): Promise<Response> {
    const reply = await fetch(this.#url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply;
  }
}
