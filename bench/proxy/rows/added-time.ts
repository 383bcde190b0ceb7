import { randomText } from "../../../test/helpers/random.js";
import { assistant, body, user } from "../../kit/bodies.js";
import { chat, readLoopDelay, startSession, type Target, toTarget } from "../../kit/load.js";
import { median } from "../../kit/measure.js";
import type { Child } from "../../kit/processes.js";
import { BenchReport } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";

/**
 * Measures the time that the proxy adds to a chat call, compared with a direct call of the engine test server with the same prompt as
 * ids. Engine, proxy and this load generator are three processes. Direct and proxied calls alternate, one at a time.
 *
 *   npm run build && npm run bench
 */

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
  readonly #direct: Target;
  readonly #proxy: Target;
  #seed = 1;
  #charactersPerToken = 3;

  constructor(engine: Child, proxy: Child) {
    this.#direct = toTarget(engine, 1);
    this.#proxy = toTarget(proxy, 1);
  }

  async run({ tokens, rounds }: (typeof CASES)[number]): Promise<string[]> {
    await this.#calibrate(tokens);
    const times = { direct: [] as number[], first: [] as number[], next: [] as number[] };
    let promptTokens = 0;
    await readLoopDelay(this.#proxy);
    for (let round = 0; round < rounds; round++) {
      const key = await startSession(this.#proxy);
      const history = this.#messages(tokens);
      const first = await this.#chat(key, history);
      promptTokens = first.promptTokens;
      const next = await this.#chat(key, [...history, assistant(first.text), user("and now?")]);
      times.first.push(first.milliseconds);
      times.next.push(next.milliseconds);
      times.direct.push(await this.#generate(promptTokens));
    }
    const { p99 } = await readLoopDelay(this.#proxy);
    return row(promptTokens, times, p99);
  }

  async close(): Promise<void> {
    await Promise.all([this.#direct.pool.close(), this.#proxy.pool.close()]);
  }

  /** Finds out how many characters give this number of tokens. The calls also warm both servers. */
  async #calibrate(tokens: number): Promise<void> {
    for (let i = 0; i < 3; i++) {
      const { promptTokens } = await this.#chat(await startSession(this.#proxy), this.#messages(tokens));
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
    const request = Buffer.from(body(messages, { max_tokens: 128 }));
    const started = performance.now();
    const reply = JSON.parse(await chat(this.#proxy, key, request)) as {
      usage: { prompt_tokens: number };
      choices: [{ message: { content: string } }];
    };
    const milliseconds = performance.now() - started;
    return { milliseconds, promptTokens: reply.usage.prompt_tokens, text: reply.choices[0].message.content };
  }

  async #generate(tokens: number): Promise<number> {
    const input_ids = Array.from({ length: tokens }, (_, i) => (i * 7919) % 509);
    const sampling_params = { max_new_tokens: 128, temperature: 1, stop_token_ids: [1] };
    const request = Buffer.from(JSON.stringify({ input_ids, sampling_params, return_logprob: true }));
    const headers = { "content-type": "application/json" };
    const started = performance.now();
    const reply = await this.#direct.pool.request({ path: "/generate", method: "POST", headers, body: request });
    if (reply.statusCode !== 200) throw new Error(`/generate answered ${reply.statusCode}`);
    await reply.body.json();
    return performance.now() - started;
  }
}

function row(tokens: number, times: Record<"direct" | "first" | "next", readonly number[]>, delay: number) {
  const [direct, first, next] = [median(times.direct), median(times.first), median(times.next)];
  const added = (value: number) => `+${(value - direct).toFixed(2)} ms (${(value / direct).toFixed(2)}x)`;
  return [tokens.toLocaleString("en"), `${direct.toFixed(2)} ms`, added(first), added(next), `${delay.toFixed(1)} ms`];
}

const COLUMNS = ["prompt tokens", "direct", "first turn, all text new", "next turn", "event-loop delay p99"];

const report = new BenchReport();
const engine = await startScript(new URL("../sglang-process.ts", import.meta.url));
const proxy = await startProxy({ engineUrl: engine.url, connections: 256, args: process.argv.slice(2) });
const bench = new Bench(engine, proxy);
try {
  const rows: string[][] = [];
  for (const each of CASES) rows.push(await bench.run(each));
  report.addTable(COLUMNS, rows);
} finally {
  await bench.close();
  await Promise.all([proxy.stop(), engine.stop()]);
}
