import { setTimeout as sleep } from "node:timers/promises";
import { randomText } from "../../test/helpers/random.js";
import type { Api, Reply, Session } from "./api.js";
import { KINDS, type Kind } from "./kinds.js";

/** What the agents saw. */
export interface Filled {
  /** Sessions with the number of calls that were answered with 200. */
  readonly sessions: Map<Session, number>;
  readonly refused: { sessions: number; calls: number };
  /** Other answers and broken connections, by cause. */
  readonly failed: Map<string, number>;
  /** Calls that were answered with 200. */
  recorded: number;
}

interface Message {
  readonly role: "user" | "assistant";
  readonly content: string;
}

/** Pause after a refusal. Shorter than the server's `Retry-After`, to test agents that ignore it. */
const PAUSE_MS = 100;

/** Runs agents that start sessions and make calls until the time is over, and go on after refusals. */
export async function fill(api: Api, agents: number, seconds: number): Promise<Filled> {
  const filled: Filled = { sessions: new Map(), refused: { sessions: 0, calls: 0 }, failed: new Map(), recorded: 0 };
  const until = performance.now() + seconds * 1000;
  await Promise.all(Array.from({ length: agents }, (_, index) => new FillingAgent(api, filled, index).run(until)));
  return filled;
}

class FillingAgent {
  readonly #api: Api;
  readonly #filled: Filled;
  #next: number;
  #seed: number;

  constructor(api: Api, filled: Filled, index: number) {
    this.#api = api;
    this.#filled = filled;
    this.#next = index;
    this.#seed = (index + 1) * 1_000_003;
  }

  async run(until: number): Promise<void> {
    let session: Session | undefined;
    while (performance.now() < until) {
      // Without a new session, the agent goes on with its last one.
      session = (await this.#start()) ?? session;
      if (session) await this.#converse(session, KINDS[this.#next++ % KINDS.length] ?? KINDS[0], until);
      else await sleep(PAUSE_MS);
    }
  }

  async #start(): Promise<Session | undefined> {
    const reply = await this.#send("/rl/start_session", {}, undefined);
    if (reply?.status !== 200) {
      if (reply) this.#filled.refused.sessions++;
      return undefined;
    }
    const { session_id: id, session_api_key: key } = JSON.parse(reply.text) as Record<string, string>;
    const session = { id: id ?? "", key: key ?? "" };
    this.#filled.sessions.set(session, 0);
    return session;
  }

  /** Makes the calls of one conversation, up to the first refused one. */
  async #converse(session: Session, { api, turns, characters }: Kind, until: number): Promise<void> {
    const messages: Message[] = [];
    let previous: string | undefined;
    for (let turn = 0; turn < turns && performance.now() < until; turn++) {
      const content = randomText(characters, this.#seed++);
      messages.push({ role: "user", content });
      const reply =
        api === "chat"
          ? await this.#send("/v1/chat/completions", { messages, max_tokens: 16 }, session.key)
          : await this.#send(
              "/v1/responses",
              { input: content, max_output_tokens: 16, ...(previous ? { previous_response_id: previous } : {}) },
              session.key,
            );
      if (reply?.status !== 200) {
        if (reply) this.#filled.refused.calls++;
        await sleep(PAUSE_MS);
        return;
      }
      this.#filled.recorded++;
      this.#filled.sessions.set(session, (this.#filled.sessions.get(session) ?? 0) + 1);
      if (api === "chat") messages.push({ role: "assistant", content: readContent(reply.text) });
      else previous = (JSON.parse(reply.text) as { id: string }).id;
    }
  }

  /** Returns an answer of 200 or a refusal because of memory; undefined after anything else. */
  async #send(path: string, body: object, key: string | undefined): Promise<Reply | undefined> {
    let cause: string;
    try {
      const reply = await this.#api.post(path, body, key);
      if (reply.status === 200 || isRefusal(reply)) return reply;
      cause = `${path} ${reply.status} ${reply.text.slice(0, 200)}`;
    } catch (error) {
      cause = `${path} ${error instanceof Error ? error.message : String(error)}`;
    }
    this.#filled.failed.set(cause, (this.#filled.failed.get(cause) ?? 0) + 1);
    await sleep(PAUSE_MS);
    return undefined;
  }
}

function isRefusal({ status, text }: Reply): boolean {
  return status === 503 && /"(store_full|server_busy)"/.test(text);
}

function readContent(text: string): string {
  const { choices } = JSON.parse(text) as { choices: [{ message: { content: string | null } }] };
  return choices[0].message.content ?? "";
}
