import { isAbsolute } from "node:path";
import type { WeightsCheck } from "../../admin-api/weights/weight-targets.js";
import { ApiError } from "../../http/errors.js";
import { compareCheckpoints } from "../../model/checkpoint/compare-checkpoints.js";
import { untilAborted } from "../../support/async/until-aborted.js";

/** A network file system may not answer. */
const CHECK_SECONDS = 30;

const MAX_NAMED = 5;
const MAX_PROBLEM_LENGTH = 300;

/**
 * Compares new weights with those in the model's folder before the engine is paused, because engines load incomplete
 * checkpoints without an error.
 *
 * @returns why they were not compared, if the folder cannot be read here
 * @throws ApiError `weights_incomplete`
 */
export async function checkFolder(path: string, modelFolder: string): Promise<WeightsCheck> {
  if (!isAbsolute(path)) return unchecked("`path` is relative to the folder of the engine's process");
  const signal = AbortSignal.timeout(CHECK_SECONDS * 1000);
  try {
    const compared = await untilAborted(compareCheckpoints(path, modelFolder, signal), signal);
    if (!compared.isCompared) return unchecked(compared.reason);
    if (compared.problems.length > 0) throw incomplete(compared.problems);
    return { checked: true, reason: null };
  } catch (error) {
    if (error !== signal.reason || !signal.aborted) throw error;
    return unchecked(`reading the files took more than ${CHECK_SECONDS} seconds`);
  }
}

function unchecked(reason: string): WeightsCheck {
  return { checked: false, reason: `The weights were not compared with the model: ${reason}.` };
}

function incomplete(problems: readonly string[]): ApiError {
  const named = problems.slice(0, MAX_NAMED).map((problem) => problem.slice(0, MAX_PROBLEM_LENGTH));
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const rest = problems.length > MAX_NAMED ? ", of which the first are" : "";
  const message =
    `\`path\` does not have all weights of \`model.path\`, so no engine server was told to load it. ${count}${rest}: ` +
    `${named.join("; ")}. \`allow_partial: true\` loads it anyway.`;
  return new ApiError("weights_incomplete", message, { param: "path" });
}
