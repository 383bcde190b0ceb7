import { Pool } from "undici";
import { ADMIN_KEY } from "../servers.js";

export interface Session {
  readonly id: string;
  readonly key: string;
}

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** The calls of agents and trainer. */
export class Api {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0 });
  }

  /** Posts with the admin key or a session key. */
  async post(path: string, body: object, key = ADMIN_KEY): Promise<Reply> {
    const { status, bytes } = await this.#request("POST", path, key, JSON.stringify(body));
    return { status, text: bytes.toString() };
  }

  async get(path: string): Promise<Reply> {
    const { status, bytes } = await this.#request("GET", path, ADMIN_KEY);
    return { status, text: bytes.toString() };
  }

  /** Returns the number of exported interactions. @throws Error with the server's message if the export fails */
  async countExported(sessions: readonly Session[]): Promise<number> {
    const body = { session_ids: sessions.map(({ id }) => id), layout: "packed", include_undelivered: true };
    const { status, bytes } = await this.#request("POST", "/export_batch", ADMIN_KEY, JSON.stringify(body));
    if (status !== 200) throw new Error(`the export was answered with ${status}: ${bytes.toString()}`);
    const header = bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE()));
    return (JSON.parse(header.toString()) as { rewards: { shape: [number] } }).rewards.shape[0];
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #request(method: "GET" | "POST", path: string, key: string, body?: string) {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await this.#pool.request({ path, method, headers, ...(body === undefined ? {} : { body }) });
    return { status: reply.statusCode, bytes: Buffer.from(await reply.body.arrayBuffer()) };
  }
}
