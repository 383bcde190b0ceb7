import type { JobDatabase } from "../../src/job/database.js";
import { JobStore, type JobStoreOptions } from "../../src/job/job-store.js";
import { SqliteDatabase } from "../../src/job/sqlite.js";

/** Opens the state of a job, by default in memory. */
export function openTestStore(
  options: Partial<JobStoreOptions> = {},
  database: JobDatabase = new SqliteDatabase(),
): Promise<JobStore> {
  return JobStore.open(database, {
    digest: "the tasks",
    version: 0,
    firstBatch: 0,
    batchSize: 1,
    leaseMilliseconds: 1000,
    maxAttempts: 3,
    keepsRejected: false,
    resume: false,
    ...options,
  });
}
