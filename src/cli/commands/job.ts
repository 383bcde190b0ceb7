import { JOB, refuseUnused, resolveConfig } from "../../config/index.js";
import type { ConfigOptions } from "../config-options.js";
import { report, runJobSpec } from "../rollout/run-job-spec.js";
import { readJobFile } from "./job-file.js";

/** `rolltape job`: runs the processes of a job until its controller has ended. Reports progress on standard error. */
export async function job(file: string, overrides: readonly string[], { config }: ConfigOptions): Promise<void> {
  const { type } = resolveConfig({ file: config, overrides }).scheduler;
  refuseUnused(overrides, JOB);
  const spec = await readJobFile(file);
  if (await runJobSpec(type, spec)) report(`the job is done; its logs are in ${spec.folder}/logs`);
}
