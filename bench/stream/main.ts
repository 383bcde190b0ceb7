import { execFileSync } from "node:child_process";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { createSglangEngine } from "../../src/engine/index.js";
import { PLAIN_SAMPLING } from "../../src/facts/sampling.js";
import { native } from "../../src/native/addon.js";
import { median, seconds, type Times, takeTurns, timesFaster } from "../export/measure.js";
import { milliseconds, type Row, report } from "../export/row.js";
import { startChild } from "../processes.js";
import { BenchReport } from "../report/bench-report.js";
import { sized } from "../sized.js";
import { PROMPT_TOKENS, replyEvents, TOKENS, wholeReply } from "./events.js";

/** What a streamed reply costs the event loop, against the same reply in one body. */

const ROUNDS = sized(15, 2, 9);
/** What one read of a socket brings at most. */
const SOCKET_READ = 64 * 1024;

function readStream(pieces: readonly Buffer[]): void {
  const generation = new native.Generation();
  const stream = new native.ReplyStream("sglang", generation, 0, 0);
  for (const piece of pieces) stream.push(piece);
  stream.end();
  if (generation.length !== TOKENS) throw new Error("the stream had other tokens");
}

function inPieces(bytes: Buffer): Buffer[] {
  return Array.from({ length: Math.ceil(bytes.length / SOCKET_READ) }, (_, index) =>
    bytes.subarray(index * SOCKET_READ, (index + 1) * SOCKET_READ),
  );
}

function rowOf<Name extends string>(
  what: string,
  times: Times<Name>,
  base: Name,
  compared: Name,
  target?: number,
): Row {
  return {
    what,
    measured: milliseconds(median(times[compared])),
    reference: `one body ${milliseconds(median(times[base]))}`,
    ...(target === undefined
      ? {}
      : {
          verdict: { value: timesFaster(times[base], times[compared]), target, bound: "at most", unit: "x" } as const,
        }),
  };
}

async function measureScan(): Promise<void> {
  const body = wholeReply();
  const frames = replyEvents(false);
  const together = inPieces(Buffer.concat(frames));
  const cumulative = inPieces(Buffer.concat(replyEvents(true)));
  const times = await takeTurns(ROUNDS, {
    body: () => seconds(() => new native.Generation().appendSglangReply(body, 0)),
    frames: () => seconds(() => readStream(frames)),
    together: () => seconds(() => readStream(together)),
    cumulative: () => seconds(() => readStream(cumulative)),
  });
  const megabytes = (pieces: readonly Buffer[]) => `${Math.round(Buffer.concat([...pieces]).length / 1e5) / 10} MB`;
  report(
    rowOf(`scan, incremental frames, ${megabytes(frames)}`, times, "body", "together", 1.5),
    rowOf("scan, incremental frames, a call each", times, "body", "frames"),
    rowOf(`scan, cumulative frames, ${megabytes(cumulative)}`, times, "body", "cumulative"),
  );
}

/** Seconds that the event loop was busy. */
async function busy(work: () => Promise<unknown>): Promise<number> {
  const before = performance.eventLoopUtilization();
  await work();
  return performance.eventLoopUtilization(before).active / 1000;
}

async function measureCalls(): Promise<void> {
  const script = fileURLToPath(new URL("server-process.ts", import.meta.url));
  const server = await startChild(process.execPath, ["--import", "tsx", script]);
  const engine = createSglangEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 4 });
  const call = (onTokens: (() => void) | undefined) => async () => {
    const generation = new native.Generation();
    const sampling = { ...SAMPLING, maxTokens: TOKENS };
    const prompt = new native.Session().prompt([new Int32Array(PROMPT_TOKENS).fill(7)]);
    const signal = new AbortController().signal;
    const rest = { affinityKey: "s", currentVersion: () => 0, signal, onTokens };
    await engine.generate({ prompt, generation, sampling, ...rest });
    if (generation.length !== TOKENS) throw new Error("the engine gave other tokens");
  };
  try {
    const times = await takeTurns(ROUNDS, {
      body: () => busy(call(undefined)),
      stream: () => busy(call(() => undefined)),
    });
    report(rowOf("whole call, 2,000 events from another process", times, "body", "stream"));
  } finally {
    await engine.close();
    await server.stop();
  }
}

const SAMPLING = { ...PLAIN_SAMPLING, thinkingBudget: undefined };

if (process.argv.includes("--measure")) {
  await measureScan();
  await measureCalls();
} else {
  const benchReport = new BenchReport("stream");
  const options = ["--expose-gc", "--import", "tsx", fileURLToPath(import.meta.url), "--measure"];
  const output = execFileSync(process.execPath, options, { encoding: "utf8", maxBuffer: 2 ** 24 });
  const rows = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Row);
  benchReport.addRows(rows);
  benchReport.write();
}
