import { CommanderError } from "commander";
import { ConfigError } from "../config/index.js";
import { SchedulerError } from "../scheduler/errors.js";
import { ViewError } from "../view/errors.js";
import { ProxyConfigError } from "./proxy-config/errors.js";
import { RolloutJobError, type RolloutJobErrorCode } from "./rollout/errors.js";
import { EXIT_INTERRUPTED } from "./rollout/interrupt.js";
import { StorageCommandError } from "./storage/errors.js";
import { WeightsCommandError } from "./weights/errors.js";

/** Exit status of a command that could not start or failed. */
export const EXIT_FAILURE = 1;
/** Exit status for invalid arguments or an invalid configuration. */
export const EXIT_USAGE = 2;
/**
 * Exit status of a server or gateway that stopped with an answer that was cut, an ended session that was not exported, or a change that
 * was not stored.
 */
export const EXIT_INCOMPLETE = 3;

/** Exit status of a rollout that wrote a batch with less than `rollout.min_accepted_share` of its episodes. */
export const EXIT_TOO_FEW = 4;

const USAGE_CODES: ReadonlySet<string> = new Set<RolloutJobErrorCode>(["invalid_data", "invalid_arguments"]);

/** Writes to standard error why a command failed. Returns its exit status. */
export function reportFailure(error: unknown): number {
  // commander has already written its message, or the requested help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT_USAGE;
  if (error instanceof ConfigError) {
    const problems = error.problems.map(({ path, message }) => `  ${path}: ${message}\n`);
    process.stderr.write(`rolltape: the configuration is invalid\n${problems.join("")}`);
    return EXIT_USAGE;
  }
  const isUsage =
    (error instanceof RolloutJobError && USAGE_CODES.has(error.code)) ||
    (error instanceof StorageCommandError && error.code === "invalid_arguments") ||
    error instanceof WeightsCommandError ||
    error instanceof ProxyConfigError ||
    (error instanceof ViewError && error.code === "invalid_arguments") ||
    (error instanceof SchedulerError && error.code === "job_invalid");
  process.stderr.write(`rolltape: ${error instanceof Error ? error.message : String(error)}\n`);
  if (error instanceof RolloutJobError && error.code === "interrupted") return EXIT_INTERRUPTED;
  return isUsage ? EXIT_USAGE : EXIT_FAILURE;
}
