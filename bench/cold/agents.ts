import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { randomText } from "../../test/helpers/random.js";
import type { Child } from "../processes.js";
import { ADMIN_KEY } from "../servers.js";

/** A conversation is continued so often, then its agent begins another one in another session. */
const TURNS = 8;
const SYSTEM_CHARACTERS = 2_000;
const USER_CHARACTERS = 300;

interface Message {
  readonly role: string;
  readonly content: string;
}

/** Agents that call a proxy at a fixed rate, whatever the proxy takes for an answer. */
export class Agents {
  readonly #pool: Pool;
  readonly #agents: readonly Agent[];
  readonly #stream: boolean;
  #calls = 0;

  /** @param count of agents that take turns. Each has one call open at most. */
  constructor({ url }: Child, count: number, stream: boolean) {
    this.#agents = Array.from({ length: count }, (_, index) => new Agent(index));
    this.#pool = new Pool(url, { headersTimeout: 0, bodyTimeout: 0 });
    this.#stream = stream;
  }

  /** Sends calls until so many were sent since the start, and waits for their answers. */
  async callUntil(count: number, perSecond: number): Promise<void> {
    const began = performance.now();
    const first = this.#calls;
    const open: Promise<void>[] = [];
    while (this.#calls < count) {
      const wait = began + ((this.#calls - first) * 1000) / perSecond - performance.now();
      if (wait > 1) await sleep(wait);
      const agent = this.#agents[this.#calls++ % this.#agents.length];
      if (agent) open.push(agent.call((path, key, body) => this.#post(path, key, body), this.#stream));
    }
    await Promise.all(open);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }

  async #post(path: string, key: string, body: object): Promise<string> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await this.#pool.request({ path, method: "POST", headers, body: JSON.stringify(body) });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`the proxy answered ${reply.statusCode}: ${text.slice(0, 500)}`);
    return text;
  }
}

type Post = (path: string, key: string, body: object) => Promise<string>;

class Agent {
  readonly #index: number;
  #conversations = 0;
  #messages: Message[] = [];
  #key = "";
  /** The call before. An agent sends the next one after it has the answer. */
  #last = Promise.resolve();

  constructor(index: number) {
    this.#index = index;
  }

  call(post: Post, stream: boolean): Promise<void> {
    this.#last = this.#last.then(() => this.#run(post, stream));
    return this.#last;
  }

  async #run(post: Post, stream: boolean): Promise<void> {
    if (this.#messages.length === 0) await this.#begin(post);
    const seed = this.#conversations * 1_000_000 + this.#index * 1000 + this.#messages.length;
    this.#messages.push({ role: "user", content: randomText(USER_CHARACTERS, seed) });
    const body = { model: "tiny", messages: this.#messages, max_tokens: 32, stream };
    const text = await post("/v1/chat/completions", this.#key, body);
    const content = stream ? readStream(text) : readAnswer(text);
    this.#messages.push({ role: "assistant", content });
    if (this.#messages.length > 2 * TURNS) this.#messages = [];
  }

  /** Starts a session. Its requests are few and small: one for each eight calls. */
  async #begin(post: Post): Promise<void> {
    await post("/grant_capacity", ADMIN_KEY, {});
    const started = await post("/rl/start_session", ADMIN_KEY, {});
    this.#key = (JSON.parse(started) as { session_api_key: string }).session_api_key;
    this.#messages = [{ role: "system", content: randomText(SYSTEM_CHARACTERS, ++this.#conversations) }];
  }
}

function readAnswer(text: string): string {
  return (JSON.parse(text) as { choices: [{ message: { content: string } }] }).choices[0].message.content;
}

function readStream(text: string): string {
  if (!text.endsWith("data: [DONE]\n\n")) throw new Error("the stream was cut");
  const events = text.split("\n\n").filter((event) => event.startsWith("data: {"));
  return events
    .map((event) => JSON.parse(event.slice("data: ".length)) as { choices: { delta?: { content?: string } }[] })
    .map(({ choices }) => choices[0]?.delta?.content ?? "")
    .join("");
}
