import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EpisodeLine, Overview, SearchResult, TokenSlice } from "../../src/view/api.js";
import { BenchReport } from "../kit/report.js";
import { QWEN3 } from "../qwen3.js";
import { sized } from "../sized.js";
import { generateRun } from "./generate-run.js";
import { LARGE_RUN, readAddress, readMemory, startViewer } from "./viewer-process.js";

/**
 * Opens a large run with `rolltape view`, and measures what a page waits for, and the memory of the process. It exits with status 1 only if an
 * answer is wrong.
 *
 *   npm run bench:view-server
 */

const SAMPLES = sized(50, 5);
const OWN_TOKENS = LARGE_RUN.tokens[0] + LARGE_RUN.tokens[1];

class Page {
  readonly #origin: string;
  readonly #cookie: string;

  private constructor(origin: string, cookie: string) {
    this.#origin = origin;
    this.#cookie = cookie;
  }

  static async open(url: string): Promise<Page> {
    const response = await fetch(url);
    const cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    return new Page(new URL(url).origin, cookie);
  }

  async get<T>(path: string): Promise<{ readonly value: T; readonly seconds: number; readonly bytes: number }> {
    const started = performance.now();
    const response = await fetch(`${this.#origin}/api/${path}`, { headers: { cookie: this.#cookie } });
    const text = await response.text();
    const seconds = (performance.now() - started) / 1000;
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return { value: JSON.parse(text) as T, seconds, bytes: text.length };
  }
}

const report = new BenchReport();
const rows: (readonly [what: string, measured: string])[] = [];
const milliseconds = (seconds: number) => `${(seconds * 1000).toFixed(1)} ms`;
const quantiles = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => milliseconds(sorted[Math.floor((sorted.length - 1) * share)] ?? 0);
  return `median ${at(0.5)}, 90% ${at(0.9)}, largest ${at(1)}`;
};

const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-view-"));
try {
  process.stderr.write("writing the run …\n");
  const transcript = await generateRun(folder, LARGE_RUN);
  const started = performance.now();
  const child = startViewer([transcript, "--model", QWEN3]);
  try {
    const page = await Page.open(await readAddress(child));
    const overview = await page.get<Overview>("overview");
    const [afterOverview] = readMemory(child);
    const ids = new Map<number, string | null>();
    const batches = new Map<number, number>();
    for (let part = overview; ; part = await page.get<Overview>(`overview?after=${part.value.revision}`)) {
      const { index, session_id, batch } = part.value.episodes;
      for (const [at, episode] of index.entries()) {
        ids.set(episode, session_id[at] ?? null);
        batches.set(episode, batch[at] ?? -1);
      }
      if (!part.value.more) break;
    }
    if (ids.size !== LARGE_RUN.episodes || [...batches.values()].includes(-1))
      throw new Error("the overview is incomplete");
    rows.push(["from the start of the process to the overview", milliseconds((performance.now() - started) / 1000)]);
    rows.push(["the overview's request", `${milliseconds(overview.seconds)}, ${(overview.bytes / 1e6).toFixed(2)} MB`]);
    const episodes: number[] = [];
    const firstTokens: number[] = [];
    const tokens: number[] = [];
    for (let i = 0; i < SAMPLES; i++) {
      const index = Math.floor((i + 0.5) * (LARGE_RUN.episodes / SAMPLES));
      const { value, seconds } = await page.get<EpisodeLine>(`episodes/${index}`);
      if (value.session_id !== ids.get(index)) throw new Error(`episode ${index} is another one`);
      episodes.push(seconds);
      for (const turn of [0, 1, LARGE_RUN.turns - 1]) {
        const slice = await page.get<TokenSlice>(`episodes/${index}/tokens/${turn}`);
        if (slice.value.texts?.length !== OWN_TOKENS || slice.value.ids[0] !== (turn * 31) % 50_000) {
          throw new Error(`tokens of episode ${index}, turn ${turn} are wrong`);
        }
        (turn === 0 ? firstTokens : tokens).push(slice.seconds);
      }
    }
    rows.push(["an episode", quantiles(episodes)]);
    rows.push(["tokens of a turn, first of its batch", quantiles(firstTokens)]);
    rows.push(["tokens of a turn, batch open", quantiles(tokens)]);
    const rare = await page.get<SearchResult>("episodes?text=no%20such%20words%20here");
    rows.push([
      `search without a hit (${rare.value.complete ? "all" : "not all"} episodes)`,
      milliseconds(rare.seconds),
    ]);
    const [now, peak] = readMemory(child);
    rows.push(["memory after the overview", `${afterOverview.toFixed(0)} MB`]);
    rows.push(["memory at the end, and highest", `${now.toFixed(0)} MB, ${peak.toFixed(0)} MB`]);
  } finally {
    child.kill("SIGKILL");
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report.addTable([`${LARGE_RUN.episodes} episodes of ${LARGE_RUN.turns} turns`, "measured"], rows);
