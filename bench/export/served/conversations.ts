import { Pool } from "undici";
import { type Child, readMebibytes } from "../../kit/processes.js";
import { ADMIN_KEY, QWEN3, startProxy, startScript } from "../../kit/servers.js";
import { wordsOf } from "./words.js";

/** Qwen3's id of `<|im_end|>`. */
const END = 151_645;
/** Number of answers that the engine has. They are stored as often as they are sent. */
const ANSWERS = 97;

export interface ConversationShape {
  /** Number of conversations at the same time, each in its own session. */
  readonly atOnce: number;
  readonly turns: number;
  /** Tokens of the whole conversation. Every turn adds about the same number, half of them as answer. */
  readonly tokens: number;
}

/** The memory of the server at one moment, in bytes. */
export interface MemoryReading {
  /** Distinct tokens that were recorded so far. */
  readonly tokens: number;
  readonly resident: number;
}

interface ChatAnswer {
  readonly choices: readonly [{ readonly message: object }];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

/** `rolltape serve` that records growing conversations. As agents do, each call repeats the whole history as text. */
export class ServedConversations {
  readonly #server: Child;
  readonly #engine: Child;
  readonly #pool: Pool;
  readonly #shape: ConversationShape;
  #seed = 0;
  #tokens = 0;

  private constructor(server: Child, engine: Child, shape: ConversationShape) {
    this.#server = server;
    this.#engine = engine;
    this.#shape = shape;
    this.#pool = new Pool(server.url, { connections: shape.atOnce, headersTimeout: 0, bodyTimeout: 0 });
  }

  /** @param args `key=value` arguments of the server */
  static async start(shape: ConversationShape, args: readonly string[]): Promise<ServedConversations> {
    const share = Math.floor(shape.tokens / shape.turns);
    const lengths = Array.from({ length: ANSWERS }, (_, i) => Math.floor(share / 4) + ((i * 7919) % (share >> 1)));
    const script = new URL("words-engine-process.ts", import.meta.url);
    const engine = await startScript(script, `${QWEN3}/tokenizer.json`, `${END}`, ...lengths.map(String));
    // Its tokens have several characters, unlike those of the tiny model.
    const settings = [`model.path=${QWEN3}`, ...args];
    const server = await startProxy({ engineUrl: engine.url, connections: shape.atOnce, args: settings });
    return new ServedConversations(server, engine, shape);
  }

  /** Records conversations, and calls `afterEach` after each of them, while the others go on. */
  async record(conversations: number, afterEach: () => void): Promise<void> {
    let left = conversations;
    const work = async (): Promise<void> => {
      while (left-- > 0) {
        await this.#converse(await this.#startSession());
        afterEach();
      }
    };
    await Promise.all(Array.from({ length: this.#shape.atOnce }, work));
  }

  /**
   * Sends prompts as large as the last ones of a conversation, with new texts, until the cache of token ids is full. They are counted and
   * not recorded.
   */
  async fillTokenCache(): Promise<void> {
    const key = await this.#startSession();
    const limit = await this.#readMetric("rolltape_token_cache_limit_bytes");
    while ((await this.#readMetric("rolltape_token_cache_bytes")) < 0.95 * limit) {
      const messages = Array.from({ length: this.#shape.turns * 2 }, () => ({
        role: "user",
        content: this.#newText(),
      }));
      await this.#post("/v1/messages/count_tokens", key, JSON.stringify({ model: "m", messages }));
    }
  }

  read(): MemoryReading {
    return { tokens: this.#tokens, resident: readMebibytes(this.#server.pid, "VmRSS") * 2 ** 20 };
  }

  async stop(): Promise<void> {
    await this.#pool.destroy();
    await this.#server.stop();
    await this.#engine.stop();
  }

  async #startSession(): Promise<string> {
    await this.#post("/grant_capacity", ADMIN_KEY, "{}");
    const started = await this.#post("/rl/start_session", ADMIN_KEY, "{}");
    return (JSON.parse(started) as { session_api_key: string }).session_api_key;
  }

  async #converse(key: string): Promise<void> {
    const messages: string[] = [];
    let recorded = 0;
    for (let turn = 0; turn < this.#shape.turns; turn++) {
      messages.push(JSON.stringify({ role: "user", content: this.#newText() }));
      const body = `{"model":"m","max_tokens":4096,"messages":[${messages.join(",")}]}`;
      const { choices, usage } = JSON.parse(await this.#post("/v1/chat/completions", key, body)) as ChatAnswer;
      messages.push(JSON.stringify(choices[0].message));
      // Prompts continue the tokens of earlier turns, so only the growth is new.
      const length = usage.prompt_tokens + usage.completion_tokens;
      this.#tokens += length - recorded;
      recorded = length;
    }
  }

  /** Returns a text that no other message has, with half of the tokens that a turn adds. */
  #newText(): string {
    return wordsOf((this.#shape.tokens / this.#shape.turns) >> 1, this.#seed++);
  }

  async #post(path: string, key: string, body: string): Promise<string> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
    const reply = await this.#pool.request({ path, method: "POST", headers, body });
    const text = await reply.body.text();
    if (reply.statusCode === 200) return text;
    throw new Error(`${path} was answered with ${reply.statusCode}: ${text.slice(0, 500)}`);
  }

  async #readMetric(name: string): Promise<number> {
    const { body } = await this.#pool.request({ path: "/metrics", method: "GET" });
    const line = (await body.text()).split("\n").find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length + 1));
  }
}
