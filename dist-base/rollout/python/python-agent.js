import { assertSerializable } from "../subproc/serializable.js";
import { createTaskEnvironment } from "../subproc/task-environment.js";
import { invalidOption } from "../workflow-error.js";
import { parseAgentFile } from "./agent-file.js";
import { findPython } from "./find-python.js";
import { PythonPool } from "./python-pool.js";
const [MAX_WORKERS, TASKS_PER_WORKER] = [4, 128];
/**
 * An agent in Python that runs in processes of its own, which import it once.
 *
 * - An asynchronous agent (`async def solve(task, context)`) runs many tasks at once in each process, a synchronous one
 *   one task at a time.
 * - The processes end with this process, or when the agent is closed.
 */
export class PythonAgent {
    #pool;
    /**
     * @param agent `file.py:name` or `file.py`: a function, an object with `run`, or a class of such objects
     * @throws WorkflowError `invalid_import`, `invalid_option`
     * @throws SubprocError `not_serializable` if the keyword arguments are not JSON
     */
    constructor(agent, options = {}) {
        const { directory = process.cwd(), keywordArguments = {}, config } = options;
        const configured = config?.rollout.agent;
        const maxWorkers = options.maxWorkers ?? configured?.subproc_max_workers ?? MAX_WORKERS;
        const tasksPerWorker = options.tasksPerWorker ?? configured?.tasks_per_worker ?? TASKS_PER_WORKER;
        assertCount("maxWorkers", maxWorkers);
        assertCount("tasksPerWorker", tasksPerWorker);
        assertSerializable(keywordArguments, "keywordArguments", "json");
        this.#pool = new PythonPool({
            agent: parseAgentFile(agent, directory),
            keywordArguments,
            python: options.python ?? configured?.python ?? findPython(),
            maxWorkers,
            tasksPerWorker,
            timeoutSeconds: options.timeoutSeconds,
            cancelSeconds: options.cancelSeconds,
        });
    }
    /** Loads the agent in a process, to check that this works. Throws the error if it does not. */
    async check(signal = new AbortController().signal) {
        await this.#pool.check(signal);
    }
    async run(data, context) {
        assertSerializable(data, "data", "json");
        const { base_url, api_key, task_id = null, group_id = null, signal } = context;
        const environment = createTaskEnvironment(context);
        const task = { data: data ?? null, context: { base_url, api_key, task_id, group_id } };
        // Tasks that run at once share the environment, so it can have the address of one task only.
        const reward = await this.#pool.run((alone) => (alone ? { ...task, environment } : task), signal);
        // The episode validates the value.
        return reward;
    }
    /** Kills the processes. Running tasks are rejected with `pool_closed`. */
    close() {
        this.#pool.close();
    }
    async [Symbol.asyncDispose]() {
        this.close();
    }
}
function assertCount(name, value) {
    if (!Number.isSafeInteger(value) || value < 1)
        throw invalidOption(name, value, "an integer of at least 1");
}
//# sourceMappingURL=python-agent.js.map