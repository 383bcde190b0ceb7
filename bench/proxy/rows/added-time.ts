import { Pool } from "undici";
import { ensureTinyModel } from "../../../src/engine/index.js";
import { randomText } from "../../../test/helpers/random.js";
import { BenchReport } from "../../kit/report.js";
import { type Child, startChild } from "../../processes.js";
import { sized } from "../../sized.js";
import { median } from "../../text.js";
import { readLoopDelay } from "../loop-delay.js";

/**
 * Measures the time that the proxy adds to a chat call, compared with a direct call of the engine test server with the same prompt as
 * ids. Engine, proxy and this load generator are three processes. Direct and proxied calls alternate, one at a time.
 *
 *   npm run build && npm run bench
 */

const ADMIN_KEY = "sk-admin-bench-0123456789";
const CASES = sized(
  [
    { tokens: 1_000, rounds: 200 },
    { tokens: 32_000, rounds: 40 },
    { tokens: 120_000, rounds: 15 },
  ],
  [{ tokens: 1_000, rounds: 3 }],
);
/** Number of tokens of a message. Longer histories have more messages. */
const MESSAGE_TOKENS = 1_000;

class Bench {
  readonly #direct: Pool;
  readonly #proxy: Pool;
  #seed = 1;
  #charactersPerToken = 3;

  constructor(engine: Child, proxy: Child) {
    this.#direct = new Pool(engine.url, { connections: 1 });
    this.#proxy = new Pool(proxy.url, { connections: 1 });
  }

  async run({ tokens, rounds }: (typeof CASES)[number]): Promise<string[]> {
    await this.#calibrate(tokens);
    const times = { direct: [] as number[], first: [] as number[], next: [] as number[] };
    let promptTokens = 0;
    await this.#loopDelay();
    for (let round = 0; round < rounds; round++) {
      const key = await this.#startSession();
      const history = this.#messages(tokens);
      const first = await this.#chat(key, history);
      promptTokens = first.promptTokens;
      const next = await this.#chat(key, [...history, assistant(first.text), user("and now?")]);
      times.first.push(first.milliseconds);
      times.next.push(next.milliseconds);
      times.direct.push(await this.#generate(promptTokens));
    }
    const delay = await this.#loopDelay();
    return row(promptTokens, times, delay);
  }

  async close(): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxy.close()]);
  }

  /** Finds out how many characters give this number of tokens. The calls also warm both servers. */
  async #calibrate(tokens: number): Promise<void> {
    for (let i = 0; i < 3; i++) {
      const { promptTokens } = await this.#chat(await this.#startSession(), this.#messages(tokens));
      this.#charactersPerToken *= tokens / promptTokens;
      await this.#generate(promptTokens);
    }
  }

  #messages(tokens: number): object[] {
    const count = Math.max(1, Math.round(tokens / MESSAGE_TOKENS));
    const odd = count % 2 === 0 ? count + 1 : count;
    const characters = Math.round((tokens / odd) * this.#charactersPerToken);
    return Array.from({ length: odd }, (_, i) => (i % 2 ? assistant : user)(randomText(characters, this.#seed++)));
  }

  async #chat(key: string, messages: readonly object[]) {
    const body = Buffer.from(JSON.stringify({ model: "tiny", messages, max_tokens: 128 }));
    const started = performance.now();
    const reply = await this.#post("/v1/chat/completions", body, key);
    const milliseconds = performance.now() - started;
    const { usage, choices } = reply as {
      usage: { prompt_tokens: number };
      choices: [{ message: { content: string } }];
    };
    return { milliseconds, promptTokens: usage.prompt_tokens, text: choices[0].message.content };
  }

  async #generate(tokens: number): Promise<number> {
    const input_ids = Array.from({ length: tokens }, (_, i) => (i * 7919) % 509);
    const sampling_params = { max_new_tokens: 128, temperature: 1, stop_token_ids: [1] };
    const body = Buffer.from(JSON.stringify({ input_ids, sampling_params, return_logprob: true }));
    const started = performance.now();
    const reply = await this.#direct.request({ path: "/generate", method: "POST", headers: JSON_TYPE, body });
    if (reply.statusCode !== 200) throw new Error(`/generate answered ${reply.statusCode}`);
    await reply.body.json();
    return performance.now() - started;
  }

  async #startSession(): Promise<string> {
    await this.#post("/grant_capacity", Buffer.from("{}"), ADMIN_KEY);
    const reply = await this.#post("/rl/start_session", Buffer.from("{}"), ADMIN_KEY);
    return (reply as { session_api_key: string }).session_api_key;
  }

  /** 99th percentile of the proxy's event-loop delay since the last call, in milliseconds. */
  async #loopDelay(): Promise<number> {
    const reply = await this.#proxy.request({ path: "/metrics", method: "GET" });
    return readLoopDelay(await reply.body.text()).p99;
  }

  async #post(path: string, body: Buffer, key: string): Promise<unknown> {
    const headers = { ...JSON_TYPE, authorization: `Bearer ${key}` };
    const reply = await this.#proxy.request({ path, method: "POST", headers, body });
    if (reply.statusCode !== 200) throw new Error(`${path} answered ${reply.statusCode}: ${await reply.body.text()}`);
    return reply.body.json();
  }
}

const JSON_TYPE = { "content-type": "application/json" };
const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

function row(tokens: number, times: Record<"direct" | "first" | "next", readonly number[]>, delay: number) {
  const [direct, first, next] = [median(times.direct), median(times.first), median(times.next)];
  const added = (value: number) => `+${(value - direct).toFixed(2)} ms (${(value / direct).toFixed(2)}x)`;
  return [tokens.toLocaleString("en"), `${direct.toFixed(2)} ms`, added(first), added(next), `${delay.toFixed(1)} ms`];
}

const COLUMNS = ["prompt tokens", "direct", "first turn, all text new", "next turn", "event-loop delay p99"];

const report = new BenchReport();
const { folder } = await ensureTinyModel();
const engine = await startChild(process.execPath, ["--import", "tsx", "bench/proxy/sglang-process.ts"]);
const proxy = await startChild(
  process.execPath,
  [
    "dist/cli/main.js",
    "serve",
    "server.port=0",
    "server.shutdown_seconds=0",
    "server.log_level=error",
    "engine.type=sglang",
    `engine.urls=${engine.url}`,
    `model.path=${folder}`,
    ...process.argv.slice(2),
  ],
  { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY },
);
const bench = new Bench(engine, proxy);
try {
  const rows: string[][] = [];
  for (const each of CASES) rows.push(await bench.run(each));
  report.addTable(COLUMNS, rows);
} finally {
  await bench.close();
  await Promise.all([proxy.stop(), engine.stop()]);
}
