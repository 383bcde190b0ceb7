/**
 * Loads the list of very many episodes as the page does: 100,000 and 200,000 ended sessions of a server, and a transcript of 1,000,000
 * episodes. Meanwhile it asks for something small, again and again: that waits as long as the call of an agent would.
 *
 *   npm run bench:view-many
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Overview } from "../../src/view/api.js";
import { ADMIN_KEY } from "../../test/helpers/proxy.js";
import type { Row } from "../export/row.js";
import { BenchReport } from "../kit/report.js";
import { sized } from "../sized.js";
import { generateRun } from "./generate-run.js";
import { readAddress, readMemory, startViewer } from "./viewer-process.js";

const SESSIONS = sized<readonly number[]>([100_000, 200_000], [400], [100_000]);
const EPISODES = sized(1_000_000, 400, 100_000);
const TARGET_MS = 20;
const PAUSE_MS = 2;

const SERVER = fileURLToPath(new URL("./many-sessions.ts", import.meta.url));
const milliseconds = (value: number) => `${value.toFixed(1)} ms`;

class Client {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor(base: string, headers: Record<string, string>) {
    this.#base = base;
    this.#headers = headers;
  }

  async get(path: string): Promise<string> {
    const response = await fetch(new URL(path, this.#base), { headers: this.#headers });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${text}`);
    return text;
  }

  /** Reads the overview page by page. Returns the number of episodes and of pages, and the time until the first page. */
  async readAll(api: string): Promise<{ readonly episodes: number; readonly pages: number; readonly first: number }> {
    const started = performance.now();
    let page = JSON.parse(await this.get(`${api}/overview`)) as Overview;
    const first = performance.now() - started;
    // An episode comes again if it changes while the list is read.
    const episodes = new Set(page.episodes.index);
    let pages = 1;
    for (; page.more; pages++) {
      page = JSON.parse(await this.get(`${api}/overview?after=${page.revision}`)) as Overview;
      for (const index of page.episodes.index) episodes.add(index);
    }
    return { episodes: episodes.size, pages, first };
  }
}

/** Asks for a path until `work` is over. Returns the waits in ascending order, in milliseconds. */
async function probe(client: Client, path: string, work: Promise<unknown>): Promise<readonly number[]> {
  const waits: number[] = [];
  let isOver = false;
  const end = () => (isOver = true);
  work.then(end, end);
  while (!isOver) {
    const started = performance.now();
    await client.get(path);
    waits.push(performance.now() - started);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await work;
  return waits.toSorted((a, b) => a - b);
}

const quantile = (sorted: readonly number[], share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;

interface Measured {
  readonly what: string;
  readonly client: Client;
  readonly child: ChildProcess;
  readonly api: string;
  /** Path of the small requests. */
  readonly small: string;
  readonly episodes: number;
}

async function measure({ what, client, child, api, small, episodes }: Measured): Promise<Row> {
  const started = performance.now();
  const reading = client.readAll(api);
  const waits = await probe(client, small, reading);
  const seconds = (performance.now() - started) / 1000;
  const read = await reading;
  if (read.episodes !== episodes) throw new Error(`${what}: ${read.episodes} episodes were listed.`);
  const idle = await probe(client, small, new Promise((resolve) => setTimeout(resolve, 1000)));
  const [p99, longest] = [quantile(waits, 0.99), quantile(waits, 1)];
  const list = `list in ${seconds.toFixed(1)} s, first page ${milliseconds(read.first)}, ${read.pages} pages`;
  const memory = `memory ${readMemory(child)[1].toFixed(0)} MB`;
  return {
    what: `${what}: 99% of other requests, while the list is read`,
    measured: `${milliseconds(p99)}, longest ${milliseconds(longest)} (${waits.length} requests)`,
    reference: `idle ${milliseconds(quantile(idle, 0.99))}; ${list}; ${memory}`,
    verdict: { value: p99, target: TARGET_MS, bound: "at most", unit: " ms" },
  };
}

async function measureServer(sessions: number): Promise<Row> {
  const child = spawn(process.execPath, [...process.execArgv, SERVER, `--sessions=${sessions}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  try {
    const client = new Client(await readAddress(child), { authorization: `Bearer ${ADMIN_KEY}` });
    const what = `/ui of a server with ${sessions} sessions`;
    return await measure({ what, client, child, api: "ui/api", small: "livez", episodes: sessions });
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

async function measureTranscript(transcript: string): Promise<Row> {
  const child = startViewer([transcript]);
  try {
    const url = await readAddress(child);
    const response = await fetch(url);
    const cookie = response.headers.get("set-cookie")?.split(";", 1)[0] ?? "";
    const client = new Client(url, { cookie });
    const what = `a transcript of ${EPISODES} episodes`;
    return await measure({ what, client, child, api: "api", small: "/", episodes: EPISODES });
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

const report = new BenchReport();
const rows: Row[] = [];
for (const sessions of SESSIONS) rows.push(await measureServer(sessions));
const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-view-"));
try {
  process.stderr.write("writing the transcript …\n");
  const size = { episodes: EPISODES, turns: 1, episodesPerBatch: 500, shards: 1, tokens: [4, 4] } as const;
  rows.push(await measureTranscript(await generateRun(folder, size)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
report.addRows(rows);
