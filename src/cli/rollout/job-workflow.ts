import { statSync } from "node:fs";
import { extname, resolve } from "node:path";
import type { Config } from "../../config/index.js";
import type { RolloutWorkflow } from "../../rollout/contract.js";
import type { ResolveOptions } from "../../rollout/resolve-options.js";
import { resolveWorkflow, type WorkflowInput } from "../../rollout/resolve-workflow.js";
import { SubprocError } from "../../rollout/subproc/errors.js";
import { ProcessPool } from "../../rollout/subproc/process-pool.js";
import { ProgramAgent } from "../../rollout/subproc/program-agent.js";
import { SubprocAgent } from "../../rollout/subproc/subproc-agent.js";
import { RolloutJobError } from "./errors.js";
import type { RolloutOptions } from "./rollout-options.js";
import { loadTypeScript } from "./typescript-loader.js";

/** A workflow, and the processes in which its agents run. */
export interface JobWorkflow {
  readonly workflow: RolloutWorkflow;
  readonly groupSize: number;
  close(): void;
}

/** The workflow of a job, as its arguments and its configuration say. An agent that cannot be made is found out here. */
export async function createWorkflow(config: Config, options: RolloutOptions): Promise<JobWorkflow> {
  const { agent } = config.rollout;
  const groupSize = options.groupSize ?? config.group_size;
  const resolution: ResolveOptions = {
    groupSize,
    dropIncompleteGroup: config.drop_incomplete_group,
    discount: agent.turn_discount,
    style: agent.export_style,
    concatReward: agent.concat_reward,
    rewardScope: agent.reward_scope,
  };
  if (options.command === undefined) named(options);
  const inline = options.command === undefined && agent.mode === "inline";
  const nodeArguments = await loadTypeScript(options.agent ?? "");
  if (inline) {
    const made = resolveWorkflow(named(options), { ...resolution, timeoutSeconds: options.timeout });
    return { workflow: await made.catch(rethrow), groupSize, close: () => {} };
  }
  // Of an episode that waits for a process to be free the time does not run yet.
  const limits = { maxWorkers: agent.subproc_max_workers, timeoutSeconds: options.timeout };
  const pool = new ProcessPool({ ...limits, nodeArguments });
  try {
    const workflow = await resolveWorkflow(await agentOf(pool, options), resolution);
    return { workflow, groupSize, close: () => pool.close() };
  } catch (error) {
    pool.close();
    return rethrow(error);
  }
}

/** An agent that cannot be made is an argument that cannot be used. Errors lose their class on the way from a worker. */
function rethrow(error: unknown): never {
  if (!(error instanceof SubprocError) && !(error instanceof Error && error.name === "WorkflowError")) throw error;
  throw new RolloutJobError("invalid_arguments", error.message, { cause: error });
}

async function agentOf(pool: ProcessPool, options: RolloutOptions): Promise<WorkflowInput> {
  if (options.command !== undefined) return new ProgramAgent(pool, { command: options.command });
  const agent = new SubprocAgent(pool, named(options));
  await agent.check();
  return agent;
}

function named({ agent }: RolloutOptions): string {
  if (agent !== undefined) return assertModule(agent);
  throw new RolloutJobError("invalid_arguments", "give an agent with --agent, or a program with --command");
}

const IS_MODULE = /\.(?:[cm]?[jt]sx?|json|node|wasm)$/;

/** A file in another language is a program. */
function assertModule(agent: string): string {
  const [file = ""] = agent.split("#");
  const extension = extname(file);
  if (extension === "" || IS_MODULE.test(file) || !isFile(file)) return agent;
  const program = extension === ".py" ? `python3 ${file}` : resolve(file);
  const message = `--agent ${agent} must be a JavaScript or TypeScript module; received a ${extension} file.`;
  throw new RolloutJobError("invalid_arguments", `${message} Run it as a program: --command "${program}"`);
}

/** A folder may have a dot in its name. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
