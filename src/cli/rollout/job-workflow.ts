import { statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Config } from "../../config/index.js";
import { readExportFilters } from "../../rollout/configured-filters.js";
import type { RolloutWorkflow } from "../../rollout/contract.js";
import { EpisodeGate } from "../../rollout/episode-gate.js";
import { GroupedWorkflow } from "../../rollout/grouped-workflow.js";
import { isPythonAgent } from "../../rollout/python/agent-file.js";
import { PythonAgent } from "../../rollout/python/python-agent.js";
import type { ResolveOptions } from "../../rollout/resolve-options.js";
import { resolveWorkflow, type WorkflowInput } from "../../rollout/resolve-workflow.js";
import type { RetryOptions } from "../../rollout/retrying-workflow.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { ProcessPool } from "../../rollout/subproc/process-pool.js";
import { ProgramAgent } from "../../rollout/subproc/program-agent.js";
import { SubprocAgent } from "../../rollout/subproc/subproc-agent.js";
import { RolloutJobError } from "./errors.js";
import type { WorkflowOptions } from "./rollout-options.js";

/** A workflow with the processes of its agents. */
export interface JobWorkflow {
  readonly workflow: RolloutWorkflow;
  readonly groupSize: number;
  /** Number of episodes that have ended, also those whose group has not. */
  readonly endedEpisodes: number;
  close(): void;
}

/**
 * Creates the workflow of a job from its arguments and its configuration.
 *
 * @throws RolloutJobError `invalid_arguments` if the agent cannot be created
 */
export async function createWorkflow(
  config: Config,
  options: WorkflowOptions,
  onRetry?: RetryOptions["onRetry"],
): Promise<JobWorkflow> {
  const { agent } = config.rollout;
  const resolution: ResolveOptions = {
    discount: agent.turn_discount,
    style: agent.export_style,
    concatReward: agent.concat_reward,
    filters: readExportFilters(config),
    rewardScope: agent.reward_scope,
    retries: { ...readRetries(config), onRetry },
  };
  if (isPythonAgent(options.agent)) return createPythonWorkflow(options.agent, { config, options, resolution });
  if (options.command === undefined) requireAgent(options);
  const inline = options.command === undefined && agent.mode === "inline";
  const nodeArguments = await loadTypeScript(options.agent ?? "");
  if (inline) {
    const resolved = resolveWorkflow(requireAgent(options), { ...resolution, timeoutSeconds: options.timeout });
    return groupEpisodes(await resolved.catch(rethrow), { config, options, close: () => {} });
  }
  // The pool has the time limit, because the time that an episode waits for a free process does not count.
  const limits = { maxWorkers: agent.subproc_max_workers, timeoutSeconds: options.timeout };
  const pool = new ProcessPool({ ...limits, nodeArguments });
  try {
    const workflow = await resolveWorkflow(await createAgent(pool, options), resolution);
    return groupEpisodes(workflow, { config, options, close: () => pool.close() });
  } catch (error) {
    pool.close();
    return rethrow(error);
  }
}

function readRetries({ rollout }: Config): RetryOptions {
  return {
    proxyWaitSeconds: rollout.proxy_wait_seconds,
    maxFailures: rollout.max_failures,
    noRetryOn: rollout.no_retry_on,
    failureReward: rollout.failure_reward ?? undefined,
  };
}

interface GroupSettings {
  readonly config: Config;
  readonly options: WorkflowOptions;
  /** Closes the processes of the agents. */
  readonly close: () => void;
}

/** Limits the episodes of a workflow, and runs them in groups. */
function groupEpisodes(workflow: RolloutWorkflow, { config, options, close }: GroupSettings): JobWorkflow {
  const groupSize = options.groupSize ?? config.group_size;
  const gate = new EpisodeGate(workflow, config.rollout.max_concurrent_episodes);
  const grouping = { dropIncompleteGroup: config.drop_incomplete_group };
  return {
    workflow: groupSize === 1 ? gate : new GroupedWorkflow(gate, groupSize, grouping),
    groupSize,
    get endedEpisodes() {
      return gate.ended;
    },
    close,
  };
}

interface PythonWorkflowSettings {
  readonly config: Config;
  readonly options: WorkflowOptions;
  readonly resolution: ResolveOptions;
}

/** Creates the workflow of a Python agent, and loads the agent once to report early if this fails. */
async function createPythonWorkflow(
  name: string,
  { config, options, resolution }: PythonWorkflowSettings,
): Promise<JobWorkflow> {
  const agent = await createPythonAgent(name, { config, options });
  return groupEpisodes(await resolveWorkflow(agent, resolution), { config, options, close: () => agent.close() });
}

async function createPythonAgent(
  name: string,
  { config, options }: Pick<PythonWorkflowSettings, "config" | "options">,
): Promise<PythonAgent> {
  let agent: PythonAgent | undefined;
  try {
    // The agent enforces the time limit, because the time that an episode waits for a process must not count.
    agent = new PythonAgent(name, { config, timeoutSeconds: options.timeout });
    await agent.check();
    return agent;
  } catch (error) {
    agent?.close();
    return rethrow(error);
  }
}

/**
 * Rethrows an error of creating the agent as an invalid argument. A WorkflowError is recognized by its name, because
 * errors from a worker process lose their class.
 */
function rethrow(error: unknown): never {
  if (!(error instanceof SubprocError) && !(error instanceof Error && error.name === "WorkflowError")) throw error;
  throw new RolloutJobError("invalid_arguments", error.message, { cause: error });
}

async function createAgent(pool: ProcessPool, options: WorkflowOptions): Promise<WorkflowInput> {
  if (options.command !== undefined) return new ProgramAgent(pool, { command: options.command });
  const agent = new SubprocAgent(pool, requireAgent(options));
  await agent.check();
  return agent;
}

function requireAgent({ agent }: WorkflowOptions): string {
  if (agent !== undefined) return assertModule(agent);
  throw new RolloutJobError("invalid_arguments", "--agent or --command is required");
}

const IS_MODULE = /\.(?:[cm]?[jt]sx?|json|node|wasm)$/;

/** Refuses files in other languages, which must be run as programs. */
function assertModule(agent: string): string {
  const [file = ""] = agent.split("#");
  const extension = extname(file);
  if (extension === "" || IS_MODULE.test(file) || !isFile(file)) return agent;
  const message = `--agent ${agent} must be a JavaScript, TypeScript or Python file; received a ${extension} file.`;
  throw new RolloutJobError("invalid_arguments", `${message} Run it as a program: --command "${resolve(file)}"`);
}

/** Tells files from folders, which may have a dot in their name too. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/**
 * Loads the tsx of the agent's project, so that this process can import an agent in TypeScript. Returns the Node
 * arguments with which worker processes do the same.
 *
 * Does nothing if Node reads TypeScript itself, or if no tsx is found. The error of the import then says what is
 * missing.
 */
async function loadTypeScript(specifier: string): Promise<string[]> {
  const [module = ""] = specifier.split("#");
  if (!/\.[cm]?tsx?$/.test(module) || readsTypeScript()) return [];
  const loader = findTsx(resolve(module)) ?? findTsx(resolve("package.json"));
  if (loader === undefined) return [];
  await import(loader);
  return ["--import", loader];
}

function readsTypeScript(): boolean {
  const { typescript } = process.features as { readonly typescript?: unknown };
  const nodeOptions = [...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].join(" ");
  return Boolean(typescript) || /\btsx\b/.test(nodeOptions);
}

/** Returns the URL of the tsx that a file at this path would import. */
function findTsx(from: string): string | undefined {
  try {
    return pathToFileURL(createRequire(from).resolve("tsx")).href;
  } catch {
    return undefined;
  }
}
