import { RolloutJobError } from "./errors.js";
/** @throws RolloutJobError `invalid_arguments` if options of a job do not fit each other or the configuration */
export function assertJobArguments({ rollout: { agent } }, { layout, trainer, trainerMode }) {
    // Layout tree has no rows of several turns, whose rewards could be summed.
    if (agent.concat_reward !== "leaf" && layout === "tree") {
        const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
        throw new RolloutJobError("invalid_arguments", `${message}. Each node of a tree is one turn.`);
    }
    if (trainerMode !== undefined && trainer === undefined) {
        throw new RolloutJobError("invalid_arguments", "--trainer-mode requires --trainer");
    }
}
//# sourceMappingURL=job-arguments.js.map