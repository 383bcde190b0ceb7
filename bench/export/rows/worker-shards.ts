import { SharedMemory } from "../../../src/session/batch/batch-memory.js";
import { median, takeTurns } from "../../kit/measure.js";
import type { Child } from "../../kit/processes.js";
import { findPython, PythonPeer } from "../../kit/python.js";
import { gigabytesPerSecond, milliseconds, type Row, report, skipped } from "../../kit/report.js";
import { ADMIN_KEY } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";
import { DISCOUNT, WORKER_RUN, WORKERS } from "../load.js";
import { startRecordedGateway, startRecordedWorker } from "../proxy.js";

/**
 * Exports the sessions of several workers in one shard for each of as many ranks, through a gateway. Compares the bytes per second of all
 * shards together with those of one shard alone, and with one worker that exports its own sessions without a gateway. Each rank is a process
 * that reads its shard into a buffer, or maps it. All numbers are of one run.
 */

const WHAT = `${WORKERS} workers, ${WORKERS} ranks`;
const ROUNDS = sized(15, 2, 5);
/** More than a shard has. */
const CAPACITY = sized(256 << 20, 1 << 22);

const tags = Array.from({ length: WORKERS }, (_, index) => `worker${index}`);
const idsOf = (tag: string) => Array.from({ length: WORKER_RUN.sessions }, (_, index) => `task-${tag}-${index}`);

/** Bytes, and the processor time of the gateway and of all workers. */
interface Cost {
  bytes: number;
  gateway: number;
  workers: number;
}

class Measured {
  readonly costs: Cost[] = [];
  readonly #gateway: Child;
  readonly #workers: readonly Child[];

  constructor(gateway: Child, workers: readonly Child[]) {
    this.#gateway = gateway;
    this.#workers = workers;
  }

  /** Runs the requests at the same time and returns how many seconds the slowest took. */
  async run(requests: readonly Promise<{ seconds: number; bytes: number }>[], before: Cost): Promise<number> {
    const answers = await Promise.all(requests);
    const after = this.read();
    this.costs.push({
      bytes: answers.reduce((sum, { bytes }) => sum + bytes, 0),
      gateway: after.gateway - before.gateway,
      workers: after.workers - before.workers,
    });
    return Math.max(...answers.map(({ seconds }) => seconds));
  }

  read(): Cost {
    const workers = this.#workers.reduce((sum, worker) => sum + worker.cpuSeconds(), 0);
    return { bytes: 0, gateway: this.#gateway.cpuSeconds(), workers };
  }

  describe(seconds: readonly number[]): string {
    const { bytes = 0 } = this.costs[0] ?? {};
    const middle = median(seconds);
    const cpu = (name: "gateway" | "workers") => milliseconds(median(this.costs.slice(1).map((cost) => cost[name])));
    return (
      `${(bytes / 1e6).toFixed(0)} MB in ${milliseconds(middle)}, ${gigabytesPerSecond(bytes, middle)}; ` +
      `processor time: gateway ${cpu("gateway")}, workers ${cpu("workers")}`
    );
  }
}

async function measure(python: string): Promise<void> {
  const workers = await Promise.all(tags.map(startRecordedWorker));
  const gateway = await startRecordedGateway(workers.map(({ url }) => url));
  const ranks = tags.map(() => new PythonPeer(python, "read_body.py", String(CAPACITY)));
  const post = (rank: number, url: string, body: object) =>
    (ranks[rank] as PythonPeer).ask<{ seconds: number; bytes: number }>(
      JSON.stringify({
        url,
        path: "/export_batch",
        body: JSON.stringify({ discount: DISCOUNT, ...body }),
        key: ADMIN_KEY,
      }),
    );
  const session_ids = tags.flatMap(idsOf);
  const askShard = (shard: number, shard_by: string) =>
    post(shard, gateway.url, { session_ids, shards: WORKERS, shard, shard_by });
  const askAll = (shard_by: string) => tags.map((_, shard) => askShard(shard, shard_by));
  const mappers = tags.map(() => new PythonPeer(python, "open_shared.py", gateway.url, ADMIN_KEY));
  const reader_hosts = [new SharedMemory().machine ?? ""];
  const mapShard = async (shard: number) => {
    const fields = { session_ids, discount: DISCOUNT, shards: WORKERS, shard, shard_by: "workers", reader_hosts };
    const line = JSON.stringify({ body: JSON.stringify({ ...fields, transport: "shm" }) });
    const opened = await (mappers[shard] as PythonPeer).ask<{ seconds: number; bytes: number; status: number }>(line);
    if (opened.status !== 200) throw new Error(`/export_batch answered ${opened.status}`);
    return opened;
  };
  const giveBack = () => Promise.all(mappers.map((mapper) => mapper.ask('{"acknowledge": true}')));
  const contenders = {
    direct: () => [post(0, workers[0]?.url ?? "", { session_ids: idsOf(tags[0] ?? "") })],
    one: () => [askShard(0, "workers")],
    all: () => askAll("workers"),
    oneByTokens: () => [askShard(0, "tokens")],
    allByTokens: () => askAll("tokens"),
    oneMapped: () => [mapShard(0)],
    allMapped: () => tags.map((_, shard) => mapShard(shard)),
  };
  try {
    const names = Object.keys(contenders) as (keyof typeof contenders)[];
    const measured = Object.fromEntries(names.map((name) => [name, new Measured(gateway, workers)])) as Record<
      keyof typeof contenders,
      Measured
    >;
    const run = (name: keyof typeof contenders) => async () => {
      const before = measured[name].read();
      const seconds = await measured[name].run(contenders[name](), before);
      if (name.endsWith("Mapped")) await giveBack();
      return seconds;
    };
    const times = await takeTurns(ROUNDS, {
      direct: run("direct"),
      one: run("one"),
      all: run("all"),
      oneByTokens: run("oneByTokens"),
      allByTokens: run("allByTokens"),
      oneMapped: run("oneMapped"),
      allMapped: run("allMapped"),
    });
    /** Returns the median over the rounds of the first rate in percent of the second. */
    const share = (fast: keyof typeof times, slow: keyof typeof times) => {
      const rate = (name: keyof typeof times, round: number) =>
        (measured[name].costs[round + 1]?.bytes ?? Number.NaN) / (times[name][round] ?? Number.NaN);
      return 100 * median(times[fast].map((_, round) => rate(fast, round) / rate(slow, round)));
    };
    const row = (what: string, fast: keyof typeof times, slow: keyof typeof times, target?: number): Row => ({
      what: `${WHAT}: ${what}`,
      measured: measured[fast].describe(times[fast]),
      reference: measured[slow].describe(times[slow]),
      ...(target !== undefined && {
        verdict: { value: share(fast, slow), target, bound: "at least", unit: "%" },
      }),
    });
    report(
      row("all shards by workers mapped at once; one alone", "allMapped", "oneMapped", 80),
      row("all shards by workers mapped at once; one worker's own export as a body", "allMapped", "direct", 80),
      row("all shards by workers streamed at once; one alone", "all", "one", 80),
      row("all shards by workers streamed at once; one worker's own export as a body", "all", "direct", 80),
      row("all shards by tokens streamed at once; one alone", "allByTokens", "oneByTokens"),
      row("all shards by workers streamed at once; all by tokens", "all", "allByTokens"),
    );
  } finally {
    await Promise.all([...[...ranks, ...mappers].map((rank) => rank.close()), gateway.stop()]);
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

const python = findPython();
if (python === undefined) report(skipped(WHAT, "python3 is missing, which reads the bodies"));
else await measure(python);
