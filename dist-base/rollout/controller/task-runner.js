import { runWorkflow } from "../episode-result.js";
/** Runs tasks in this process. Exports of their sessions are deferred to the batch. */
export class WorkflowRunner {
    #workflow;
    #engine;
    #options;
    constructor(workflow, engine, options = {}) {
        this.#workflow = workflow;
        this.#engine = engine;
        this.#options = options;
    }
    runTask({ data, taskId, groupId }, signal) {
        const options = { ...this.#options, signal, taskId, groupId, export: "deferred" };
        return runWorkflow(this.#workflow, this.#engine, data, options);
    }
}
//# sourceMappingURL=task-runner.js.map