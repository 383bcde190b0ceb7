import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { Pool } from "undici";
import { LEASE_PATHS, type Updates, updatesReply } from "../../../src/rollout/lease/protocol.js";
import { hasPostgres, PostgresServer } from "../../../test/helpers/postgres-server.js";
import { cpuSecondsOf, cpuSecondsOfTree, readMebibytes, startChild } from "../../kit/processes.js";
import { type Row, skipped } from "../../kit/report.js";
import { ADMIN_KEY, startProxy, startScript } from "../../kit/servers.js";
import { sized } from "../../kit/sized.js";

const WORKERS = sized([10, 1000], [2], [10, 300]);
/** Tasks that a worker runs at the same time. */
const HELD = 100;
/** Tasks that a worker reports, and replaces by new ones, in one call. */
const AT_ONCE = 10;
const CONNECTIONS = 64;
/** Longer than all workers need to take their first tasks. */
const LEASE_SECONDS = 600;
/** Reports per worker that are measured, after all workers have their tasks. */
const ROUNDS = sized(4, 1, 3);

/**
 * A real `rolltape controller` whose rollout workers are simulated: each holds {@link HELD} leases, and reports {@link AT_ONCE} rejected
 * episodes in one call, which returns as many new tasks. Workers send heartbeats as real ones do. No sessions or exports are in it.
 */
export async function measureController(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const database of ["SQLite", "PostgreSQL"] as const) {
    for (const workers of WORKERS) rows.push(await measure(database, workers));
  }
  return rows;
}

async function measure(database: "SQLite" | "PostgreSQL", workers: number): Promise<Row> {
  const what = `controller on ${database}, ${workers} workers with ${HELD} episodes each`;
  if (database === "PostgreSQL" && !hasPostgres) return skipped(what, "PostgreSQL is missing");
  const folder = mkdtempSync(join(tmpdir(), "rolltape-bench-scale-"));
  const data = mkdtempSync(join(tmpdir(), "rolltape-bench-postgres-"));
  const postgres = database === "PostgreSQL" ? await PostgresServer.start({ data }) : undefined;
  const engine = await startScript(new URL("../../proxy/sglang-process.ts", import.meta.url));
  const proxy = await startProxy({ engineUrl: engine.url, connections: 1 });
  const rounds = workers * ROUNDS;
  const tasks = join(folder, "tasks.jsonl");
  await writeTasks(tasks, workers * HELD + rounds * AT_ONCE);
  const env = { ROLLTAPE_ADMIN_API_KEY: ADMIN_KEY };
  const settings = [
    "dist/cli/main.js",
    "controller",
    "--proxy",
    proxy.url,
    "--data",
    tasks,
    "--out",
    join(folder, "out.safetensors"),
    "--job-database",
    postgres?.url ?? join(folder, "state"),
    "--no-transcripts",
    "--no-metrics",
    `rollout.max_concurrent_rollouts=${workers * HELD}`,
    `rollout.lease_seconds=${LEASE_SECONDS}`,
    "server.port=0",
    "server.log_level=fatal",
  ];
  const controller = await startChild(process.execPath, settings, env);
  const pool = new Pool(controller.url, { connections: CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
  try {
    const fleet = Array.from({ length: workers }, (_, number) => new SimulatedWorker(pool, number));
    const beat = () => Promise.all(fleet.map((worker) => worker.heartbeat()));
    // The last calls may be cut by the end of the measurement.
    const beats = setInterval(() => void beat().catch(() => undefined), (LEASE_SECONDS * 1000) / 3);
    await Promise.all(fleet.map((worker) => worker.start()));
    const databaseSeconds = () => (postgres?.pid === undefined ? 0 : cpuSecondsOfTree(postgres.pid));
    const [own, other, started] = [cpuSecondsOf(controller.pid), databaseSeconds(), performance.now()];
    const waits: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all(fleet.map(async (worker) => waits.push(await worker.report())));
    }
    clearInterval(beats);
    const done = rounds * AT_ONCE;
    const perTask = (seconds: number) => ((seconds * 1000) / done).toFixed(2);
    const seconds = (performance.now() - started) / 1000;
    const sqlite = `${perTask(cpuSecondsOf(controller.pid) - own)} ms`;
    const sql = postgres ? ` + ${perTask(databaseSeconds() - other)} ms of PostgreSQL` : "";
    const memory = `${readMebibytes(controller.pid, "RssAnon").toFixed(0)} MiB`;
    const rate = `${(done / seconds).toFixed(0)} tasks/s, ${workers * HELD} leases, ${memory}`;
    return { what, reference: "", measured: `CPU ${sqlite}${sql} a task; ${rate}` };
  } finally {
    await pool.destroy();
    // A controller that is stopped would first write its thousands of open tasks to a file.
    process.kill(controller.pid, "SIGKILL");
    await proxy.stop();
    await engine.stop();
    await postgres?.kill();
    for (const each of [folder, data]) rmSync(each, { recursive: true, force: true });
  }
}

async function writeTasks(file: string, count: number): Promise<void> {
  const stream = createWriteStream(file);
  for (let number = 0; number < count; number++) stream.write(`${JSON.stringify({ number })}\n`);
  stream.end();
  await finished(stream);
}

type Lease = Updates["leases"][number];

/** Speaks the protocol of rollout workers, and runs nothing. */
class SimulatedWorker {
  readonly #pool: Pool;
  readonly #id: string;
  #leases: Lease[] = [];

  constructor(pool: Pool, number: number) {
    this.#pool = pool;
    this.#id = `simulated-${number}`;
  }

  /** Registers and takes its tasks. */
  async start(): Promise<void> {
    await this.#post(LEASE_PATHS.workers, { worker_id: this.#id, name: this.#id });
    while (this.#leases.length < HELD) await this.#update([]);
  }

  async heartbeat(): Promise<void> {
    const leases = this.#leases.map(({ lease_id }) => lease_id);
    await this.#post(LEASE_PATHS.heartbeats, { worker_id: this.#id, lease_ids: leases });
  }

  /** Reports its oldest tasks and takes others. Returns the milliseconds that the call took. */
  async report(): Promise<number> {
    const started = performance.now();
    await this.#update(this.#leases.splice(0, AT_ONCE));
    return performance.now() - started;
  }

  async #update(ended: readonly Lease[]): Promise<void> {
    const reports = ended.map(({ lease_id, task, attempt }) => ({ lease_id, task, attempt, result: REJECTED }));
    const body = { worker_id: this.#id, reports, max_held: HELD };
    const { leases } = updatesReply.parse(await this.#post(LEASE_PATHS.updates, body));
    this.#leases.push(...leases);
  }

  async #post(path: string, body: object): Promise<unknown> {
    const headers = { "content-type": "application/json", authorization: `Bearer ${ADMIN_KEY}` };
    const reply = await this.#pool.request({ path, method: "POST", headers, body: JSON.stringify(body) });
    const text = await reply.body.text();
    if (reply.statusCode !== 200) throw new Error(`the controller answered ${reply.statusCode}: ${text.slice(0, 300)}`);
    return JSON.parse(text);
  }
}

const REJECTED = {
  accepted: [],
  rejected: [{ session_id: null, group_id: null, code: "agent_error", message: "simulated", error: null }],
};
