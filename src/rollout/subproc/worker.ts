import { setImmediate } from "node:timers/promises";
import type { AgentContext } from "../contract.js";
import { loadAgent } from "./load-agent.js";
import { encodeError, type SentTask, type WorkerMessage, type WorkerTask } from "./messages.js";
import { assertSerializable } from "./serializable.js";

/** A worker process: runs the agents that its parent sends, one after another. */

const send = (message: WorkerMessage) => process.send?.(message);

process.on("message", (task: SentTask) => void runTask(task));

/**
 * Number of active resources (timers, requests, …) while no task runs. It is the minimum of all tasks, because at the
 * first one the loading of this module may still be active.
 */
let idleResources = Number.POSITIVE_INFINITY;

async function runTask(task: SentTask): Promise<void> {
  const { id } = task;
  idleResources = Math.min(idleResources, process.getActiveResourcesInfo().length);
  send({ id, type: "started" });
  const [environment, directory] = [{ ...process.env }, process.cwd()];
  const outcome = await runAgent(task);
  restoreEnvironment(environment);
  send({ id, ...outcome, reusable: restoreDirectory(directory) && (await becomesIdle()) });
}

async function runAgent(task: WorkerTask) {
  try {
    // Import the module before the keys are set, so that it cannot keep them for a later task.
    const agent = await loadAgent(task.agent);
    if (task.type === "load") return { type: "done", value: undefined } as const;
    Object.assign(process.env, task.environment);
    // The contract of subprocess agents has no context: address and key are in the environment only.
    const value = await agent.run(task.data, {} as AgentContext);
    assertSerializable(value, "reward");
    return { type: "done", value } as const;
  } catch (error) {
    return { type: "failed", error: encodeError(error) } as const;
  }
}

/** Restores the environment, and removes variables that the agent has set. */
function restoreEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** Restores the working directory. Returns false if it no longer exists. */
function restoreDirectory(directory: string): boolean {
  try {
    process.chdir(directory);
    return true;
  } catch {
    return false;
  }
}

/** Returns true if the agent left no timer, request or child process behind. */
async function becomesIdle(): Promise<boolean> {
  // Resources that are just ending, such as a socket that returns to its pool, may need another iteration of the event loop.
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    if (process.getActiveResourcesInfo().length <= idleResources) return true;
  }
  return false;
}
