import { onTestFinished } from "vitest";
import { KillableProcess } from "../../helpers/killable-process.js";
import { readSample } from "../../helpers/metrics-text.js";

const KEY = "sk-admin-of-an-archived-server";

export interface ArchivedSession {
  readonly id: string;
  readonly key: string;
}

/** A server in a process of its own that archives its sessions. */
export class ArchivedServer {
  readonly #process: KillableProcess;

  /**
   * @param address `s3://…`
   * @param env of the process, with the endpoint of the store
   */
  constructor(directory: string, address: string, env: NodeJS.ProcessEnv, settings: readonly string[] = []) {
    const keys = ["server.port=0", "server.log_level=error", `storage.directory=${directory}`];
    const args = ["serve", ...keys, `storage.archive=${address}`, ...settings];
    this.#process = new KillableProcess("server", args, { ...env, ROLLTAPE_ADMIN_API_KEY: KEY });
    onTestFinished(() => this.#process.kill());
  }

  start = () => this.#process.start();
  kill = () => this.#process.kill();
  stop = () => this.#process.stop();

  async post(path: string, body: object, key = KEY): Promise<Response> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    return fetch(this.#process.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  /** Records and ends a session with two calls. */
  async record(task: string, split = "train"): Promise<ArchivedSession> {
    await this.post("/grant_capacity", { slots: 1 });
    const started = await this.post("/rl/start_session", { task_id: task, split });
    const { session_id: id, session_api_key: key } = (await started.json()) as Record<string, string>;
    if (id === undefined || key === undefined) throw new Error("no session was started");
    const messages: object[] = [];
    for (const content of [`Hello ${task}`, "And then?"]) {
      messages.push({ role: "user", content });
      const call = await this.post("/v1/chat/completions", { model: "tiny", messages, max_tokens: 5 }, key);
      if (call.status !== 200) throw new Error(`a call failed: ${await call.text()}`);
      const { choices } = (await call.json()) as { choices: { message: object }[] };
      messages.push(...choices.map(({ message }) => message));
    }
    await this.post("/rl/set_reward", { reward: 0.5 }, key);
    await this.post("/rl/end_session", {}, key);
    return { id, key };
  }

  /** Returns the value of a metric. */
  async metric(name: string): Promise<number> {
    const reply = await fetch(`${this.#process.url}/metrics`, { headers: { authorization: `Bearer ${KEY}` } });
    return Number(readSample(await reply.text(), name) ?? Number.NaN);
  }

  /** Resolves when everything that ended is in the archive. */
  async archived(): Promise<void> {
    while ((await this.metric("rolltape_archive_waiting_sessions")) > 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
