import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { MAIN } from "../../cli/rolltape.js";
import { Reply, type StartedSession } from "../../helpers/proxy.js";

export const ADMIN_KEY = "sk-admin-0123456789abcdef";

/** A running `rolltape serve` or `rolltape gateway`, as seen by someone who can only reach its port. */
export class Victim {
  readonly url: string;
  readonly process: ChildProcess;
  readonly #errors: () => string;

  private constructor(url: string, child: ChildProcess, errors: () => string) {
    this.url = url;
    this.process = child;
    this.#errors = errors;
  }

  static async start(args: readonly string[]): Promise<Victim> {
    const env = { ...process.env, ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
    const child = spawn(process.execPath, [MAIN, ...args, "server.port=0"], { env, stdio: ["ignore", "pipe", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (errors += text));
    for await (const line of createInterface(child.stdout)) {
      const { url } = JSON.parse(line) as { url: string };
      return new Victim(url, child, () => errors);
    }
    throw new Error(`the command ended before it was ready: ${errors}`);
  }

  /** The lines of its log so far. */
  get log(): { readonly level: string; readonly msg: string }[] {
    return this.#errors()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { level: string; msg: string });
  }

  /** @param key null: no key */
  async send(path: string, init: RequestInit = {}, key: string | null = ADMIN_KEY): Promise<Reply> {
    const headers = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...(init.headers as object) };
    const answer = await fetch(this.url + path, { ...init, headers });
    const payload = Buffer.from(await answer.arrayBuffer());
    return new Reply({ statusCode: answer.status, rawPayload: payload, headers: Object.fromEntries(answer.headers) });
  }

  post(path: string, body: object = {}, key?: string | null): Promise<Reply> {
    const headers = { "content-type": "application/json" };
    return this.send(path, { method: "POST", headers, body: JSON.stringify(body) }, key);
  }

  async session(): Promise<StartedSession> {
    await this.post("/grant_capacity");
    const { session_id: id, session_api_key: key } = (await this.post("/rl/start_session")).json<{
      session_id: string;
      session_api_key: string;
    }>();
    return { id, key };
  }

  chat(key: string, content: string, extra: object = {}): Promise<Reply> {
    return this.post("/v1/chat/completions", { messages: [{ role: "user", content }], ...extra }, key);
  }

  /** Ends the process with SIGTERM. Returns its exit status; null if a signal ended it. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return this.process.exitCode;
    const ended = once(this.process, "exit");
    this.process.kill("SIGTERM");
    return ((await ended) as [number | null])[0];
  }
}

/** Starts a server with the tokenizer and template of the tiny model. */
export async function startVictim(args: readonly string[]): Promise<Victim> {
  const { folder } = await ensureTinyModel();
  return Victim.start(["serve", `model.path=${folder}`, "server.shutdown_seconds=0", ...args]);
}
