import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../../config/index.js";
import { JobStore, JobStoreError } from "../../job/job-store.js";
import { SqliteDatabase } from "../../job/sqlite.js";
import { unusableFolderError } from "../../storage/errors.js";
import { RolloutJobError } from "./errors.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface StoreSettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  readonly tasks: readonly RolloutTask[];
}

/** Folder in `storage.directory` with the state of the job. The folders of the job's own proxies are beside it. */
const FOLDER = "controller";
/** The file in which earlier versions kept the state of a job. */
const EARLIER_FILE = "data.mdb";

/**
 * Opens the state of a job: a database in `storage.directory`, else in memory.
 *
 * @throws StorageError `storage_unusable` if the folder cannot be used, or has a job that does not fit these settings
 */
export async function openStore(settings: StoreSettings): Promise<JobStore> {
  const { config, options, tasks } = settings;
  const { directory, durability } = config.storage;
  const { lease_seconds, max_attempts, consumer_batch_size } = config.rollout;
  const { fromVersion: version = 0, resume = false } = options;
  if (directory === null && resume) {
    const message = "--resume requires storage.directory, the folder of the job that was killed";
    throw new RolloutJobError("invalid_arguments", message);
  }
  const folder = directory === null ? undefined : join(directory, FOLDER);
  if (folder !== undefined && existsSync(join(folder, EARLIER_FILE))) {
    const why = `has a job of an earlier version (${EARLIER_FILE}). Finish it with the Rolltape that began it, or use another folder`;
    throw unusableFolderError(folder, why);
  }
  const database = new SqliteDatabase({ directory: folder, synced: durability !== "none" });
  try {
    return await JobStore.open(database, {
      digest: digestJob(settings),
      version,
      firstBatch: consumer_batch_size === null ? 0 : version,
      batchSize: consumer_batch_size ?? tasks.length,
      leaseMilliseconds: lease_seconds * 1000,
      maxAttempts: max_attempts,
      keepsRejected: options.transcripts !== false,
      resume,
    });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error instanceof JobStoreError ? unusableFolderError(folder ?? "", describe(error)) : error;
  }
}

/** Returns a digest of what must not change when a job goes on. The agent, its trainer and limits may. */
function digestJob({ config, options, tasks }: StoreSettings): string {
  const { agent, consumer_batch_size } = config.rollout;
  const { turn_discount, export_style, concat_reward, export_filters } = agent;
  const fixed = {
    tasks,
    groupSize: options.groupSize ?? config.group_size,
    consumer_batch_size,
    layout: options.layout,
    turn_discount,
    export_style,
    concat_reward,
    export_filters,
  };
  return createHash("sha256").update(JSON.stringify(fixed)).digest("hex");
}

function describe({ code, job, tasks }: JobStoreError): string {
  if (code === "format") return `has a job of format ${job.format}, which this Rolltape does not read. Use the one that wrote it`;
  if (code === "unfinished") {
    const advice = "Go on with it by `--resume`, or remove this folder to begin another job";
    return `has an unfinished job of ${tasks} tasks. ${advice}`;
  }
  const why = "its tasks, group size, batch size or export options differ from those of this command";
  return `has another job (${tasks} tasks): ${why}. Repeat the command that began it`;
}
