import { isDeepStrictEqual } from "node:util";
import { onTestFinished } from "vitest";
import { KillableProcess } from "../../helpers/killable-process.js";

const KEY = "sk-admin-of-a-failing-disk";

export interface Reply {
  readonly status: number;
  readonly body: { readonly id?: string; readonly status?: string; readonly error?: { code: string; message: string } };
}

/** A server with storage in a process of its own. It remembers its answers, to compare them with what it has after a crash. */
export class StoredServer {
  /** The answers of calls by their id. */
  readonly answers = new Map<string, { readonly key: string; readonly body: object }>();
  readonly #process: KillableProcess;

  /** @param env of the process */
  constructor(directory: string, env: NodeJS.ProcessEnv = {}) {
    const settings = ["server.port=0", "server.log_level=fatal", "engine.context_length=1000000"];
    const args = ["serve", ...settings, `storage.directory=${directory}`];
    this.#process = new KillableProcess("server", args, { ...env, ROLLTAPE_ADMIN_API_KEY: KEY });
    onTestFinished(() => this.#process.kill());
  }

  start = () => this.#process.start();

  kill = () => this.#process.kill();

  async post(path: string, key: string, body: object): Promise<Reply> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await fetch(this.#process.url + path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: reply.status, body: (await reply.json()) as Reply["body"] };
  }

  async session(): Promise<string> {
    await this.post("/grant_capacity", KEY, { slots: 1 });
    const { body } = await this.post("/rl/start_session", KEY, { task_id: "task" });
    return (body as { session_api_key: string }).session_api_key;
  }

  /** Makes a call, and notes its answer. */
  async call(key: string, input: string): Promise<Reply> {
    const reply = await this.post("/v1/responses", key, { model: "tiny", input, max_output_tokens: 4 });
    if (reply.status === 200) this.answers.set(reply.body.id ?? "", { key, body: reply.body });
    return reply;
  }

  async health(): Promise<Reply> {
    const reply = await fetch(`${this.#process.url}/health`);
    return { status: reply.status, body: (await reply.json()) as Reply["body"] };
  }

  /** Returns how many answers the server has no more, or differently. */
  async countLost(): Promise<number> {
    let lost = 0;
    for (const [id, { key, body }] of this.answers) {
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(`${this.#process.url}/v1/responses/${id}`, { headers });
      if (!isDeepStrictEqual(await reply.json(), body)) lost++;
    }
    return lost;
  }
}

/** What a call gets that the server cannot store. */
export const refused = { status: 503, body: { error: { code: "storage_failed" } } };
