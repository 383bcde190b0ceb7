import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { JOB, refuseUnused, resolveConfig } from "../../config/index.js";
import { SchedulerError } from "../../scheduler/errors.js";
import type { JobSpec } from "../../scheduler/job.js";
import { parseJob } from "../../scheduler/parse-job.js";
import type { ConfigOptions } from "../config-options.js";
import { report, runJobSpec } from "../rollout/run-job-spec.js";

/** `rolltape job`: runs the processes of a job until its controller has ended. Reports progress on standard error. */
export async function job(file: string, overrides: readonly string[], { config }: ConfigOptions): Promise<void> {
  const { type } = resolveConfig({ file: config, overrides }).scheduler;
  refuseUnused(overrides, JOB);
  const spec = await readJobFile(file);
  if (await runJobSpec(type, spec)) report(`the job is done; its logs are in ${spec.folder}/logs`);
}

/**
 * Reads the description of a job from a YAML file.
 *
 * @throws {@link SchedulerError} `job_invalid`, each line with the file's name
 */
async function readJobFile(file: string): Promise<JobSpec> {
  try {
    return parseJob(parse(await readFile(file, "utf8")));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new SchedulerError("job_invalid", why.replace(/^/gm, `${file}: `), { cause });
  }
}
