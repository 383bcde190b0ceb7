import { setImmediate } from "node:timers/promises";
import type { AgentContext } from "../contract.js";
import { loadAgent } from "./load-agent.js";
import { type SentTask, sendable, type WorkerMessage, type WorkerTask } from "./messages.js";
import { assertSerializable } from "./serializable.js";

/** A worker process: runs the agents that its parent sends, one after another. */

const send = (message: WorkerMessage) => process.send?.(message);

process.on("message", (task: SentTask) => void work(task));
// The parent has gone: what this process and its agents started goes with them.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));

/** What is active while nothing runs: the least ever seen, since loading this very module is work too. */
let atRest = Number.POSITIVE_INFINITY;

async function work(task: SentTask): Promise<void> {
  const { id } = task;
  atRest = Math.min(atRest, process.getActiveResourcesInfo().length);
  send({ id, type: "started" });
  const [environment, directory] = [{ ...process.env }, process.cwd()];
  const outcome = await outcomeOf(task);
  restore(environment);
  send({ id, ...outcome, reusable: isBackIn(directory) && (await isAtRest()) });
}

async function outcomeOf(task: WorkerTask) {
  try {
    // The module is imported before the keys are there, so that none can be kept in it for a later task.
    const agent = await loadAgent(task.agent);
    if (task.type === "load") return { type: "done", value: undefined } as const;
    Object.assign(process.env, task.environment);
    // Address and key are in the environment only, as the contract has it.
    const value = await agent.run(task.data, {} as AgentContext);
    assertSerializable(value, "reward");
    return { type: "done", value } as const;
  } catch (error) {
    return { type: "failed", error: sendable(error) } as const;
  }
}

/** Whatever the agent set is gone, too. */
function restore(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
}

/** The next task begins where this one did, if that is still there. */
function isBackIn(directory: string): boolean {
  try {
    process.chdir(directory);
    return true;
  } catch {
    return false;
  }
}

/** The agent left no timer, request or child process behind. */
async function isAtRest(): Promise<boolean> {
  // What ends just now (a socket that goes back to its pool) has done so a turn later.
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    if (process.getActiveResourcesInfo().length <= atRest) return true;
  }
  return false;
}
