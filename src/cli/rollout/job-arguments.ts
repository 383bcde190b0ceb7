import type { Config } from "../../config/index.js";
import { RolloutJobError } from "./errors.js";
import type { RolloutOptions } from "./rollout-options.js";

type JobArguments = Pick<RolloutOptions, "layout" | "trainer" | "trainerMode" | "keepSessions" | "proxy">;

/** @throws RolloutJobError `invalid_arguments` if options of a job do not fit each other or the configuration */
export function assertJobArguments(
  { rollout: { agent }, storage }: Config,
  { layout, trainer, trainerMode, keepSessions, proxy }: JobArguments,
): void {
  // Layout tree has no rows of several turns, whose rewards could be summed.
  if (agent.concat_reward !== "leaf" && layout === "tree") {
    const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
    throw new RolloutJobError("invalid_arguments", `${message}. Each node of a tree is one turn.`);
  }
  if (trainerMode !== undefined && trainer === undefined) {
    throw new RolloutJobError("invalid_arguments", "--trainer-mode requires --trainer");
  }
  if (keepSessions && proxy === undefined && storage.directory === null) {
    const message = "--keep-sessions requires --proxy or storage.directory: the job's own proxy ends with the job";
    throw new RolloutJobError("invalid_arguments", `${message}. \`--sessions\` writes the sessions to a file.`);
  }
}
