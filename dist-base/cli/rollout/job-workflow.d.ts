import type { Config } from "../../config/index.js";
import type { RolloutWorkflow } from "../../rollout/contract.js";
import type { WorkflowOptions } from "./rollout-options.js";
/** A workflow with the processes of its agents. */
export interface JobWorkflow {
    readonly workflow: RolloutWorkflow;
    readonly groupSize: number;
    close(): void;
}
/**
 * Creates the workflow of a job from its arguments and its configuration.
 *
 * @throws RolloutJobError `invalid_arguments` if the agent cannot be created
 */
export declare function createWorkflow(config: Config, options: WorkflowOptions): Promise<JobWorkflow>;
