import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../../config/index.js";
import type { JobDatabase } from "../../job/database.js";
import { JobStore, JobStoreError, readJobState } from "../../job/job-store.js";
import { isInUse, SqliteDatabase } from "../../job/sqlite.js";
import { unusableFolderError } from "../../storage/errors.js";
import { RolloutJobError } from "./errors.js";
import type { RolloutTask } from "./read-tasks.js";
import type { RolloutOptions } from "./rollout-options.js";

export interface StoreSettings {
  readonly config: Config;
  readonly options: RolloutOptions;
  readonly tasks: readonly RolloutTask[];
  /** Called with the reason of each wait: another controller has the job, or the database does not answer. */
  readonly onWait?: ((why: string) => void) | undefined;
  /** Called when the state of the job cannot be stored any more. */
  readonly onFailure?: ((error: Error) => void) | undefined;
}

/** Folder in `storage.directory` with the state of the job. The folders of the job's own proxies are beside it. */
const FOLDER = "controller";

/** Returns where the state of a job is: a URL, a folder, or undefined for this process's memory. */
export function locateStore(
  { storage }: Config,
  { jobDatabase }: Pick<RolloutOptions, "jobDatabase">,
): string | undefined {
  return jobDatabase ?? (storage.directory === null ? undefined : join(storage.directory, FOLDER));
}

/**
 * Opens the state of a job. One in PostgreSQL may belong to another controller, whose end is then waited for.
 *
 * @throws StorageError `storage_unusable` if the folder cannot be used, or has a job that does not fit these settings
 */
export async function openStore(settings: StoreSettings): Promise<JobStore> {
  const { config, options, tasks, onFailure } = settings;
  const { lease_seconds, max_attempts, consumer_batch_size } = config.rollout;
  const { fromVersion: version = 0, resume = false } = options;
  const place = locateStore(config, options);
  if (place === undefined && resume) {
    const message = "--resume requires storage.directory or --job-database, where the state of the job is";
    throw new RolloutJobError("invalid_arguments", message);
  }
  const database = await openDatabase(place, settings);
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
      onFailure,
    });
  } catch (error) {
    await database[Symbol.asyncDispose]();
    throw error instanceof JobStoreError ? unusableFolderError(place ?? "", describe(error)) : error;
  }
}

async function openDatabase(
  place: string | undefined,
  { config, options, onWait }: StoreSettings,
): Promise<JobDatabase> {
  if (place !== undefined && /^[a-z]+:\/\//i.test(place)) {
    const { PostgresDatabase } = await import("../../job/postgres.js");
    const waitSeconds = options.resume ? WAIT_SECONDS : 0;
    return PostgresDatabase.open({ url: place, onWait, waitSeconds }).catch((error: Error) => {
      throw new RolloutJobError("invalid_arguments", `--job-database cannot be used: ${error.message}`, {
        cause: error,
      });
    });
  }
  const open = () => new SqliteDatabase({ directory: place, synced: config.storage.durability !== "none" });
  return options.resume ? waitWhileInUse(open, onWait) : open();
}

/** Opens a database once the process before it, which may still be stopping, has ended. */
async function waitWhileInUse(open: () => JobDatabase, onWait: StoreSettings["onWait"]): Promise<JobDatabase> {
  for (let waited = 0; ; waited += POLL_SECONDS) {
    try {
      return open();
    } catch (error) {
      if (!isInUse(error) || waited >= WAIT_SECONDS) throw error;
      if (waited === 0) onWait?.("another controller has the job");
      await sleep(POLL_SECONDS * 1000);
    }
  }
}

const POLL_SECONDS = 0.5;
/** A controller that was told to end may take half a minute, and a database server about as long to start. */
const WAIT_SECONDS = 60;

/**
 * Removes the state of a job that is over from a folder.
 *
 * @throws StorageError `storage_unusable` if the job is not over
 */
export async function removeEndedJob(directory: string): Promise<void> {
  if (!existsSync(directory)) return;
  {
    await using database = new SqliteDatabase({ directory });
    const state = await readJobState(database);
    if (state === "running") throw unusableFolderError(directory, `has an unfinished job. ${ADVICE}`);
  }
  rmSync(directory, { recursive: true });
}

/** Returns a digest of what must not change when a job goes on. The agent, its trainer and limits may. */
function digestJob({ config, options, tasks }: StoreSettings): string {
  const { agent, consumer_batch_size } = config.rollout;
  const { turn_discount, export_style, concat_reward, export_filters } = agent;
  const { overlong, ...filters } = export_filters;
  const fixed = {
    tasks,
    groupSize: options.groupSize ?? config.group_size,
    consumer_batch_size,
    layout: options.layout,
    turn_discount,
    export_style,
    concat_reward,
    // The default of a newer option is left out, so that the digest of an earlier version's job stays the same.
    export_filters: overlong === "keep" ? filters : export_filters,
  };
  return createHash("sha256").update(JSON.stringify(fixed)).digest("hex");
}

const ADVICE = "Go on with it by `--resume`, or remove it to begin another job";

function describe({ code, job, tasks }: JobStoreError): string {
  if (code === "format")
    return `has a job of format ${job.format}, which this Rolltape does not read. Use the one that wrote it`;
  if (code === "unfinished") {
    return `has an unfinished job of ${tasks} tasks. ${ADVICE}`;
  }
  const why = "its tasks, group size, batch size or export options differ from those of this command";
  return `has another job (${tasks} tasks): ${why}. Repeat the command that began it`;
}
