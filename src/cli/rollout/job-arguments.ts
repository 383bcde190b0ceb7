import { resolve } from "node:path";
import type { Config } from "../../config/index.js";
import { metricsFileOf } from "../../transcript/metrics-file.js";
import { RolloutJobError } from "./errors.js";
import { transcriptFileOf } from "./job-transcript.js";
import type { RolloutOptions } from "./rollout-options.js";

type JobArguments = Pick<
  RolloutOptions,
  "data" | "out" | "sessions" | "layout" | "trainer" | "trainerMode" | "keepSessions" | "proxy"
>;

/** @throws RolloutJobError `invalid_arguments` if options of a job do not fit each other or the configuration */
export function assertJobArguments(
  { rollout: { agent }, storage }: Config,
  { data, out, sessions, layout, trainer, trainerMode, keepSessions, proxy }: JobArguments,
): void {
  // Layout tree has no rows of several turns, whose rewards could be summed.
  if (agent.concat_reward !== "leaf" && layout === "tree") {
    const message = "rollout.agent.concat_reward must be leaf with --layout tree; received return";
    throw new RolloutJobError("invalid_arguments", `${message}. Each node of a tree is one turn.`);
  }
  if (trainerMode !== undefined && trainer === undefined) {
    throw new RolloutJobError("invalid_arguments", "--trainer-mode requires --trainer");
  }
  if (typeof sessions === "string") refuseOtherFiles(sessions, { data, out });
  if (keepSessions && proxy === undefined && storage.directory === null) {
    const message = "--keep-sessions requires --proxy or storage.directory: the job's own proxy ends with the job";
    throw new RolloutJobError("invalid_arguments", `${message}. \`--sessions\` writes the sessions to a file.`);
  }
}

/** The sessions file would replace another file of the job. */
function refuseOtherFiles(sessions: string, { data, out }: Pick<JobArguments, "data" | "out">): void {
  const others = [data, out, transcriptFileOf(out), metricsFileOf(out)];
  if (!others.some((file) => resolve(file) === resolve(sessions))) return;
  const message = `--sessions ${sessions} must be a file of its own, but is another file of the job`;
  throw new RolloutJobError("invalid_arguments", message);
}
