import { runProgram } from "./run-program.js";
import { assertSerializable } from "./serializable.js";
import { createTaskEnvironment } from "./task-environment.js";
/**
 * Runs any program as an agent, with one process per episode.
 *
 * - The program reads the data as JSON from its standard input.
 * - Address and key of the session are in its environment, under the names that SDKs read.
 * - It prints its reward, a number or an object from completion ids to numbers, in the last line of its standard output
 *   or in a line `{"reward": …}`.
 */
export class ProgramAgent {
    #pool;
    #options;
    constructor(pool, options) {
        this.#pool = pool;
        this.#options = options;
    }
    async run(data, context) {
        assertSerializable(data, "data", "json");
        const { command, directory = process.cwd() } = this.#options;
        const environment = createTaskEnvironment(context);
        const program = { command, directory, environment, input: `${JSON.stringify(data ?? null)}\n` };
        const reward = await this.#pool.occupy(context.signal, (signal) => runProgram(program, signal));
        // The episode validates the value.
        return reward;
    }
}
//# sourceMappingURL=program-agent.js.map