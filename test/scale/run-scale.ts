import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Random } from "../helpers/random.js";
import { Cluster, type JobFiles, MACHINES, type MachineName } from "./cluster.js";
import { type BatchSession, readBatches } from "./read-batches.js";

/** Longer than every lease of the job. */
const CUT_SECONDS = 15;
const NETWORK = "network";
type Fault = MachineName | typeof NETWORK;
const POLL_MS = 50;

export interface ScaleOptions {
  /** Number of episodes. */
  readonly tasks: number;
  readonly seed: number;
  /** Only machines, or the network, whose name has this text. Empty: all. */
  readonly only: string;
  /** The program of SeaweedFS. */
  readonly seaweed: string;
  /** A run that takes longer has failed. */
  readonly limitSeconds: number;
  readonly report: (line: string) => void;
}

/** Runs one job undisturbed, and once more while each machine is turned off once and the network is cut once. Returns what differs. */
export async function runScale(options: ScaleOptions): Promise<readonly string[]> {
  const expected = await runJob(options, []);
  const disturbed = await runJob(options, shuffle([...MACHINES, NETWORK], options));
  return Array.from({ length: options.tasks }, (_, task) =>
    [
      ...judge(expected.get(task), undefined, "without faults"),
      ...judge(disturbed.get(task), expected.get(task)?.[0]?.digest, "with faults"),
    ].map((problem) => `task ${task} ${problem}`),
  ).flat();
}

function judge(sessions: readonly BatchSession[] = [], digest: string | undefined, run: string): string[] {
  const [first] = sessions;
  if (sessions.length !== 1) return [`is ${sessions.length} times in the batches ${run}`];
  return digest === undefined || first?.digest === digest ? [] : [`has other rows ${run} (${first?.id})`];
}

function shuffle(names: readonly Fault[], { seed, only }: ScaleOptions): Fault[] {
  const random = new Random(seed);
  const keyed = names.filter((name) => name.includes(only)).map((name) => ({ name, key: random.next() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ name }) => name);
}

/** Returns the sessions of each task in the batches of the S3 store. @param faults spread over the job */
async function runJob(options: ScaleOptions, faults: readonly Fault[]): Promise<Map<number, BatchSession[]>> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-scale-"));
  const batches = join(folder, "batches");
  const { seaweed } = options;
  const files = { folder, seaweed, data: join(folder, "tasks.jsonl"), done: join(folder, "done") };
  const lines = Array.from({ length: options.tasks }, (_, number) => `${JSON.stringify({ number })}\n`);
  mkdirSync(batches);
  writeFileSync(files.data, lines.join(""));
  writeFileSync(files.done, "");
  try {
    await runOn(files, options, faults, batches);
    return readBatches(batches);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runOn(
  files: JobFiles,
  { tasks, limitSeconds, report }: ScaleOptions,
  faults: readonly Fault[],
  batches: string,
): Promise<void> {
  await using cluster = new Cluster(files);
  const started = performance.now();
  const note = (text: string) => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    report(`${seconds} s, ${countLines(files.done)} episodes: ${text}`);
  };
  const isOver = () => cluster.isDone || performance.now() - started > limitSeconds * 1000;
  await cluster.start();
  for (const [index, name] of faults.entries()) {
    const enough = Math.round(((index + 0.5) / faults.length) * tasks);
    while (countLines(files.done) < enough && !isOver()) await sleep(POLL_MS);
    note(name);
    if (name === NETWORK) await cluster.cut(CUT_SECONDS);
    else await cluster.restart(name);
  }
  while (!isOver()) await sleep(POLL_MS);
  if (!cluster.isDone) throw new Error(`the job did not end within ${limitSeconds} s\n${cluster.logs}`);
  note("the job has ended");
  await cluster.download(batches);
}

function countLines(file: string): number {
  return readFileSync(file, "utf8").split("\n").length - 1;
}
