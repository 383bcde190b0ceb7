import { createAgentSource } from "./agent-source.js";
import { assertSerializable } from "./serializable.js";
import { createTaskEnvironment } from "./task-environment.js";
/**
 * An agent that runs in the worker processes of a pool.
 *
 * Its `run` receives only the data, and may be synchronous. While it runs, address and key of its session are in the
 * environment (`COMPAT_BASE_URL`, `COMPAT_API_KEY`).
 */
export class SubprocAgent {
    #pool;
    #source;
    /**
     * @param agent an import string, or an instance of a class that names its module; see {@link createAgentSource}
     * @throws SubprocError, WorkflowError
     */
    constructor(pool, agent, options = {}) {
        this.#pool = pool;
        this.#source = createAgentSource(agent, options);
    }
    /** Creates the agent in a worker process once, to check that this works. Throws the error if it does not. */
    async check(signal = new AbortController().signal) {
        await this.#pool.run({ type: "load", agent: this.#source }, signal);
    }
    async run(data, context) {
        assertSerializable(data, "data");
        const task = { type: "run", agent: this.#source, data, environment: createTaskEnvironment(context) };
        // The episode validates the agent's return value.
        return (await this.#pool.run(task, context.signal));
    }
}
//# sourceMappingURL=subproc-agent.js.map