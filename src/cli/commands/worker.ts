import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import type { Logger } from "pino";
import { z } from "zod";
import { ConnectionPool } from "../../client/connection-pool.js";
import { type Config, readAdminKey, refuseUnused, resolveConfig, WORKER } from "../../config/index.js";
import { connectProxy } from "../../rollout/connect.js";
import type { JobSettings } from "../../rollout/lease/protocol.js";
import { watchProxy } from "../../rollout/proxy-watch.js";
import { ControllerClient } from "../../rollout/worker/controller-client.js";
import { RolloutWorker, type WorkerEnd } from "../../rollout/worker/rollout-worker.js";
import { printReadyLine } from "../../support/processes/ready-line.js";
import { readRegularFile } from "../../support/regular-file.js";
import { openTelemetry, WORKER_SERVICE } from "../../telemetry/open-telemetry.js";
import type { Telemetry } from "../../telemetry/telemetry.js";
import { createLogger } from "../logger.js";
import { RolloutJobError } from "../rollout/errors.js";
import { createWorkflow } from "../rollout/job-workflow.js";
import { exit } from "../rollout/process-guard.js";
import { ProcessWatch } from "../rollout/process-watch.js";
import type { WorkerOptions } from "../rollout/rollout-options.js";

/** Time for which a worker calls a controller that does not answer. */
const CONTROLLER_WAIT_SECONDS = 600;

/**
 * `rolltape worker`: runs the tasks that a controller leases to it, until the controller has no more or a signal stops it. Prints one
 * JSON line on standard output when it is registered. Logs, and what agents print, go to standard error.
 */
export async function worker(args: readonly string[], options: WorkerOptions): Promise<void> {
  const config = resolveConfig({ file: options.config, overrides: args });
  refuseUnused(args, WORKER);
  const adminKey = requireKey(config);
  const logger = createLogger(config);
  using watch = new ProcessWatch();
  const stopping = new StoppableWorker();
  watch.begin(stopping);
  await using connections = new ConnectionPool();
  const client = new ControllerClient({
    locate: () => locate(options.controller),
    adminKey,
    connections,
    patienceSeconds: CONTROLLER_WAIT_SECONDS,
    onTrouble: (why) => {
      if (why === undefined) logger.info("the controller answers again");
      else logger.warn({ why }, "the controller does not answer; results are kept and calls are repeated");
    },
  });
  const telemetry = await openTelemetry(config.telemetry, { service: WORKER_SERVICE, log: logger });
  const job = { config, options, adminKey, logger, client, stopping, telemetry };
  try {
    await runJobs(job);
  } catch (error) {
    if (!stopping.signal.aborted || stopping.error) throw error;
  } finally {
    await telemetry?.close();
  }
  if (stopping.error) throw stopping.error;
  logger.info("stopped");
  // Timers and connections that agents left behind would keep this process alive.
  exit(stopping.signal.aborted ? options.stoppedStatus : 0);
}

interface WorkerJob {
  readonly config: Config;
  readonly options: WorkerOptions;
  readonly adminKey: string;
  readonly logger: Logger;
  readonly client: ControllerClient;
  readonly stopping: StoppableWorker;
  readonly telemetry: Telemetry | undefined;
}

/** Runs the tasks of one job after the other, if the controller is replaced by that of another job. */
async function runJobs(job: WorkerJob): Promise<void> {
  const { client, options, logger, stopping } = job;
  const workerId = randomUUID();
  // Workers in containers may have the same host name and process id.
  const name = options.name ?? `${hostname()}-${process.pid}-${workerId.slice(0, 4)}`;
  for (let isFirst = true; ; isFirst = false) {
    const settings = await client.register(workerId, name, {
      replace: isFirst && options.replace,
      signal: stopping.signal,
    });
    const end = await runOne(job, { workerId, name, settings, isFirst });
    logger.info({ name, end }, "the worker has ended");
    if (end !== "job_changed") return;
  }
}

interface Registration {
  readonly workerId: string;
  readonly name: string;
  readonly settings: JobSettings;
  readonly isFirst: boolean;
}

async function runOne(job: WorkerJob, { workerId, name, settings, isFirst }: Registration): Promise<WorkerEnd> {
  const { config, options, adminKey, logger, client, stopping, telemetry } = job;
  const workflow = await createWorkflow(
    applySettings(config, settings),
    {
      agent: options.agent,
      command: options.command,
      groupSize: settings.workflow.group_size,
      timeout: settings.workflow.timeout_seconds ?? undefined,
    },
    ({ code, message }, { taskId: task_id }) => logger.debug({ task_id, code, message }, "an episode runs again"),
  );
  try {
    await using engine = connectProxy({ url: options.proxy ?? settings.proxy_url, adminKey, telemetry });
    watchProxy(engine).onChange = (isAbsent) => {
      if (isAbsent)
        logger.warn({ proxy: engine.url }, "the proxy does not answer; episodes wait, and no tasks are taken");
      else logger.info({ proxy: engine.url }, "the proxy answers again");
    };
    const running = new RolloutWorker({
      client,
      workerId,
      name,
      jobId: settings.job_id,
      workflow: workflow.workflow,
      engine,
      concurrency: config.rollout.worker_concurrency,
      leaseSeconds: settings.lease_seconds,
      rejectedSessions: settings.workflow.rejected_sessions,
      onEnd: ({ task_id, attempt }, { accepted, rejected }, outcome) =>
        logger.debug(
          { task_id, attempt, accepted: accepted.length, rejected: rejected.length, outcome },
          "a task ended",
        ),
    });
    if (isFirst) announceReady({ url: engine.url, name });
    logger.info({ name, proxy: engine.url, job: settings.job_id }, "ready");
    stopping.begin(running);
    return await running.run();
  } finally {
    workflow.close();
  }
}

/** Prints the ready line. What agents print afterwards goes to standard error. */
function announceReady(fields: { readonly url: string; readonly name: string }): void {
  printReadyLine(fields);
  process.stdout.write = process.stderr.write.bind(process.stderr);
}

/** The controller decides how tasks run. */
function applySettings(config: Config, { workflow }: JobSettings): Config {
  const { rollout } = config;
  return {
    ...config,
    drop_incomplete_group: workflow.drop_incomplete_group,
    rollout: { ...rollout, agent: { ...rollout.agent, reward_scope: workflow.reward_scope } },
  };
}

/** Stops a worker after a signal, the end of the job that started it, or an uncaught error of an agent. */
class StoppableWorker {
  readonly #stopping = new AbortController();
  #worker: RolloutWorker | undefined;
  error: Error | undefined;

  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  begin(worker: RolloutWorker): void {
    this.#worker = worker;
    if (this.signal.aborted) worker.stop();
  }

  interrupt(): void {
    this.#stopping.abort(new Error("the worker was stopped"));
    this.#worker?.stop();
  }

  fail(error: Error): void {
    this.error ??= error;
    this.interrupt();
  }
}

const urlFile = z.object({ url: z.url() });

/** Returns the address of a controller; undefined if its file does not exist yet. */
async function locate(controller: string): Promise<string | undefined> {
  if (/^https?:\/\//.test(controller)) return controller;
  try {
    return urlFile.parse(JSON.parse(await readRegularFile(controller))).url;
  } catch {
    return undefined;
  }
}

function requireKey(config: Config): string {
  const key = readAdminKey(config, process.env);
  if (key !== undefined) return key;
  const where = "ROLLTAPE_ADMIN_API_KEY or rollout.agent.admin_api_key";
  throw new RolloutJobError(
    "invalid_arguments",
    `rolltape worker requires the admin key of its controller in ${where}`,
  );
}
