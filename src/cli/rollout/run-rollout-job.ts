import type { Logger } from "pino";
import type { Config } from "../../config/index.js";
import type { JobStore } from "../../job/job-store.js";
import { SessionRemover } from "../../job/session-remover.js";
import { WorkflowRunner } from "../../job/task-runner.js";
import { type ConnectedProxy, connectProxy } from "../../rollout/connect.js";
import type { RolloutWorkflow } from "../../rollout/contract.js";
import { watchProxy } from "../../rollout/proxy-watch.js";
import { isWithoutProxy } from "../../rollout/retrying-workflow.js";
import { shareWithGroup } from "../../support/private-files.js";
import { openTelemetry, WORKER_SERVICE } from "../../telemetry/open-telemetry.js";
import { metricsFileOf } from "../../transcript/metrics-file.js";
import { indexFileOf } from "../../transcript/read-index.js";
import { createLogger } from "../logger.js";
import { requireEngine, requireWritable, sharedMemoryProblems } from "../preflight/preflight.js";
import { BatchArchive } from "./batch-archive.js";
import { errorLogOf } from "./error-log.js";
import { RolloutJobError } from "./errors.js";
import { readExamples } from "./examples.js";
import type { JobSetup } from "./job-setup.js";
import { JobTranscript, transcriptFileOf } from "./job-transcript.js";
import { createWorkflow } from "./job-workflow.js";
import { type OpenLeases, openLeases } from "./open-leases.js";
import { openProxy } from "./open-proxy.js";
import { openStore } from "./open-store.js";
import { openWorkers } from "./open-workers.js";
import type { ProcessWatch } from "./process-watch.js";
import { ProxyCounts } from "./proxy-counts.js";
import type { RolloutTask } from "./read-tasks.js";
import { type JobOutcome, RolloutJob } from "./rollout-job.js";
import type { RolloutOptions } from "./rollout-options.js";
import { RolloutScreen } from "./screen.js";
import type { RolloutSummary } from "./summary.js";

export interface JobRun {
  readonly config: Config;
  readonly options: RolloutOptions;
  /** `key=value` arguments. */
  readonly overrides: readonly string[];
  readonly tasks: readonly RolloutTask[];
  readonly watch: ProcessWatch;
  /**
   * The place where agents run: this process, a number of rollout workers that it starts, or workers that come from elsewhere. These are
   * told the address with `onReady`.
   */
  readonly runners: "here" | { readonly workers: number } | { readonly onReady: (url: string) => void };
}

export interface EndedJob {
  readonly summary: RolloutSummary;
  readonly failure: Error | undefined;
}

/** Runs a job: opens a proxy and what runs agents, runs every task, and closes everything. */
export async function runRolloutJob(run: JobRun): Promise<EndedJob> {
  const { config, options, overrides, runners } = run;
  if (config.rollout.group_readable) shareWithGroup();
  using screen = new RolloutScreen();
  const logger = createLogger(config, screen.log);
  await requireWritable(options.out);
  if (typeof options.sessions === "string") await requireWritable(options.sessions, "--sessions");
  if (options.proxy === undefined) {
    for (const { key, message } of await sharedMemoryProblems(config))
      screen.line(`rolltape: warning: ${key}: ${message}`);
    await requireEngine(config);
  }
  // Created before the proxy, so that a wrong agent is reported at once.
  const workflow = runners === "here" ? await createWorkflow(config, options) : undefined;
  try {
    await using served = await openProxy({ config, options, overrides, screen });
    // Rollout workers send the spans of their episodes themselves.
    await using telemetry =
      runners === "here" ? await openTelemetry(config.telemetry, { service: WORKER_SERVICE, log: logger }) : undefined;
    await using proxy = connectProxy({ ...served, telemetry });
    const onWait = (why: string) => screen.line(`rolltape: ${why}; waiting`);
    const onFailure = (error: Error) => run.watch.fail(error);
    await using store = await openStore({ ...run, onWait, onFailure });
    const tell = (message: string) => screen.line(`rolltape: ${message}`);
    const growing = listGrowing(options);
    await using archive = await BatchArchive.open({ config, id: store.opened.job_id, growing, tell });
    await using removing = openRemover(store, proxy);
    const { remover } = removing;
    await using leases = await openRunners(run, { served, proxy, screen, logger, store, remover });
    watchProxy(proxy).onChange = (isAbsent) =>
      screen.line(`rolltape: the proxy ${isAbsent ? "does not answer; the job waits for it" : "answers again"}`);
    const groupSize = workflow?.groupSize ?? leases?.groupSize ?? 1;
    const counts = await ProxyCounts.start(proxy.url);
    // Rollout workers report a group when all of it has ended, but its sessions are over before.
    const ended = () => workflow?.endedEpisodes ?? counts.sessions;
    const runner = { workflow: workflow && createRunner(workflow.workflow, run, proxy), leases: leases?.tasks };
    const setup = { ...run, ...runner, proxy, counts, ended, store, remover, groupSize, screen, logger, archive };
    const transcript = await JobTranscript.open(setup);
    const job = new RolloutJob({ ...setup, transcript });
    run.watch.begin(job);
    // Agents in this process find out themselves. Rollout workers only wait.
    using _watching = leases && stopWithoutProxy(proxy, run);
    return await measure(job, run, { groupSize, transcript });
  } finally {
    workflow?.close();
  }
}

/** Returns the files to which a job appends. */
function listGrowing({ out, transcripts }: RolloutOptions): string[] {
  const transcript = transcriptFileOf(out);
  const files = [metricsFileOf(out), errorLogOf(out)];
  return transcripts === false ? files : [transcript, indexFileOf(transcript), ...files];
}

async function measure(
  job: RolloutJob,
  { config, tasks }: JobRun,
  { groupSize, transcript: written }: Pick<JobSetup, "groupSize" | "transcript">,
): Promise<EndedJob> {
  const started = performance.now();
  const { interrupted, failure, ...outcome }: JobOutcome = await job.run();
  const seconds = (performance.now() - started) / 1000;
  const stopped = interrupted || failure !== undefined;
  const transcript = await readExamples(written);
  const { min_accepted_share: minAcceptedShare } = config.rollout;
  const facts = { tasks: tasks.length, groupSize, seconds, transcript, stopped, minAcceptedShare };
  return { summary: { ...outcome, ...facts }, failure };
}

/** Maximum seconds for which the end of a job waits for a proxy that does not delete unwanted sessions. */
const REMOVAL_SECONDS = 10;

function openRemover(store: JobStore, { admin }: ReturnType<typeof connectProxy>) {
  const remover = new SessionRemover({
    remove: (id) => admin.deleteSession(id),
    removeLease: (id) => admin.deleteLease(id, { ended: true }),
    onRemoved: (session) => store.removed({ session }),
    onLeaseRemoved: (lease) => store.removed({ lease }),
  });
  return { remover, [Symbol.asyncDispose]: () => remover.close(REMOVAL_SECONDS) };
}

interface Opened {
  readonly served: { readonly adminKey: string };
  readonly proxy: ReturnType<typeof connectProxy>;
  readonly screen: RolloutScreen;
  readonly logger: Logger;
  readonly store: JobStore;
  readonly remover: SessionRemover;
}

/** Returns what runs tasks in this process. */
function createRunner(workflow: RolloutWorkflow, run: JobRun, proxy: ConnectedProxy): WorkflowRunner<unknown> {
  const { config, options, watch } = run;
  const stopping = withoutResultIfLost(workflow, () => watch.fail(proxyLost(proxy.url, config)));
  // The transcript reads the sessions of rejected episodes before they are deleted.
  const rejectedSessions = options.transcripts === false ? "delete" : "keep";
  return new WorkflowRunner(stopping, proxy, { rejectedSessions });
}

/**
 * Stops the job if a task has no result because its proxy is gone. The task then ends as one that was stopped with the job, so
 * that it runs again when the job goes on.
 */
function withoutResultIfLost(workflow: RolloutWorkflow, stop: () => void): RolloutWorkflow {
  const arunEpisode: RolloutWorkflow["arunEpisode"] = async (engine, data, options) => {
    const result = await workflow.arunEpisode(engine, data, options);
    if (!isWithoutProxy(result)) return result;
    stop();
    return { ...result, accepted: [] };
  };
  return { canResume: workflow.canResume, arunEpisode };
}

/** Stops the job when its proxy has not answered for too long, until it is disposed of. */
function stopWithoutProxy(proxy: ConnectedProxy, { config, watch }: JobRun): Disposable {
  const over = new AbortController();
  const { proxy_wait_seconds } = config.rollout;
  void watchProxy(proxy)
    .whenGone(proxy_wait_seconds, over.signal)
    .then(
      () => watch.fail(proxyLost(proxy.url, config)),
      () => undefined,
    );
  return { [Symbol.dispose]: () => over.abort(new Error("the job is over")) };
}

function proxyLost(url: string, { rollout }: Config): RolloutJobError {
  const seconds = rollout.proxy_wait_seconds;
  const message = `the proxy ${url} did not answer for ${seconds} s (rollout.proxy_wait_seconds)`;
  return new RolloutJobError("proxy_lost", message);
}

/** Opens what gives tasks to rollout workers; undefined if agents run in this process. */
async function openRunners(run: JobRun, { served, ...opened }: Opened): Promise<OpenLeases | undefined> {
  const { config, runners } = run;
  const { adminKey } = served;
  if (runners === "here") return undefined;
  if ("workers" in runners) return openWorkers({ ...run, ...opened, adminKey, count: runners.workers });
  const { host, port } = config.server;
  const leases = await openLeases({ ...run, ...opened, adminKey, host, port });
  runners.onReady(leases.url);
  return leases;
}
