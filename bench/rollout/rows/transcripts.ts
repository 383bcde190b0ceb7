import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobTranscript, type TranscribedJob } from "../../../src/cli/rollout/job-transcript.js";
import { parseConfig } from "../../../src/config/index.js";
import type { ConnectedProxy } from "../../../src/rollout/connect.js";
import { median } from "../../kit/measure.js";
import type { Row } from "../../kit/report.js";
import { startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { fetchAgent, TURNS } from "../agents.js";
import { CONCURRENT, type JobTimes, runJob } from "../job.js";

const EPISODES = sized(512, 8, 256);
const ROUNDS = sized(3, 1, 2);
const TARGET_RATIO = 1.05;

/** Compares the processor time of an episode, of all processes together, with and without a transcript, in turn. */
export async function measureTranscripts(): Promise<Row> {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-"));
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: CONCURRENT });
  const out = join(folder, "batch.safetensors");
  try {
    const pids = { worker: process.pid, proxy: proxy.pid, engine: engine.pid };
    const open = (connected: ConnectedProxy) => JobTranscript.open(createSetup(out, connected));
    const run = async (isRecorded: boolean) =>
      cpuOfEpisode(await runJob(fetchAgent, proxy.url, EPISODES, pids, isRecorded ? open : undefined));
    await run(true);
    const [plain, recorded]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      plain.push(await run(false));
      recorded.push(await run(true));
    }
    const [reference, measured] = [median(plain), median(recorded)];
    const bytes = statSync(`${out}.jsonl`).size / EPISODES;
    return {
      what: `an episode of ${TURNS} turns with a transcript, against one without, processor time of all processes`,
      measured: `${measured.toFixed(2)} ms, ${bytes.toFixed(0)} bytes`,
      reference: `${reference.toFixed(2)} ms`,
      verdict: { value: measured / reference, target: TARGET_RATIO, bound: "at most", unit: "x" },
    };
  } finally {
    await proxy.stop();
    await engine.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The part of a job that its transcript uses. */
function createSetup(out: string, proxy: ConnectedProxy): TranscribedJob {
  const screen = { line: (text: string) => process.stderr.write(`${text}\n`) };
  const options = { out, proxy: proxy.url };
  const store = { isResumed: false, discard: () => Promise.resolve() };
  return { config: parseConfig({}), options, proxy, store, tasks: [], groupSize: 1, screen };
}

function cpuOfEpisode({ cpu }: JobTimes): number {
  return TURNS * Object.values(cpu).reduce((sum, milliseconds) => sum + milliseconds, 0);
}
