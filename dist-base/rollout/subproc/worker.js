import { setImmediate } from "node:timers/promises";
import { loadAgent } from "./load-agent.js";
import { encodeError } from "./messages.js";
import { assertSerializable } from "./serializable.js";
/** A worker process: runs the agents that its parent sends, one after another. */
const send = (message) => process.send?.(message);
process.on("message", (task) => void runTask(task));
// The parent has ended: kill this process and everything that its agents started.
process.on("disconnect", () => process.kill(-process.pid, "SIGKILL"));
/**
 * Number of active resources (timers, requests, …) while no task runs. It is the minimum of all tasks, because at the
 * first one the loading of this module may still be active.
 */
let idleResources = Number.POSITIVE_INFINITY;
async function runTask(task) {
    const { id } = task;
    idleResources = Math.min(idleResources, process.getActiveResourcesInfo().length);
    send({ id, type: "started" });
    const [environment, directory] = [{ ...process.env }, process.cwd()];
    const outcome = await runAgent(task);
    restoreEnvironment(environment);
    send({ id, ...outcome, reusable: restoreDirectory(directory) && (await becomesIdle()) });
}
async function runAgent(task) {
    try {
        // Import the module before the keys are set, so that it cannot keep them for a later task.
        const agent = await loadAgent(task.agent);
        if (task.type === "load")
            return { type: "done", value: undefined };
        Object.assign(process.env, task.environment);
        // The contract of subprocess agents has no context: address and key are in the environment only.
        const value = await agent.run(task.data, {});
        assertSerializable(value, "reward");
        return { type: "done", value };
    }
    catch (error) {
        return { type: "failed", error: encodeError(error) };
    }
}
/** Restores the environment, and removes variables that the agent has set. */
function restoreEnvironment(environment) {
    for (const name of Object.keys(process.env))
        if (!(name in environment))
            delete process.env[name];
    Object.assign(process.env, environment);
}
/** Restores the working directory. Returns false if it no longer exists. */
function restoreDirectory(directory) {
    try {
        process.chdir(directory);
        return true;
    }
    catch {
        return false;
    }
}
/** Returns true if the agent left no timer, request or child process behind. */
async function becomesIdle() {
    // Resources that are just ending, such as a socket that returns to its pool, may need another turn of the event loop.
    for (let turn = 0; turn < 3; turn++) {
        await setImmediate();
        if (process.getActiveResourcesInfo().length <= idleResources)
            return true;
    }
    return false;
}
//# sourceMappingURL=worker.js.map