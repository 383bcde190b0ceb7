import { Histogram, type Registry } from "prom-client";
import { addGauge } from "../../http/metrics/add-gauge.js";
import type { SessionRecords } from "../../session/stored/session-records.js";
import type { Storage } from "../../storage/index.js";

const WAIT_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5];

/** The part of a storage that metrics read. */
export type ObservedStorage = Pick<Storage, "readSize" | "pending" | "failure" | "onWait">;

export interface ObservedServerStorage {
  readonly storage: ObservedStorage;
  readonly records: Pick<SessionRecords, "damagedSessions">;
}

/**
 * Adds the metrics of the storage: its size, what is not on disk, and how long answers wait for the disk.
 *
 * @returns a function that stops counting
 */
export function observeStorage({ storage, records }: ObservedServerStorage, register: Registry): () => void {
  const fileHelp = "Size of the storage's segments in bytes.";
  addGauge(register, "rolltape_storage_file_bytes", fileHelp, () => storage.readSize().fileBytes);
  const usedHelp =
    "Bytes of the segments that are values. If they are less than half, the oldest segments are cleaned and removed.";
  addGauge(register, "rolltape_storage_used_bytes", usedHelp, () => storage.readSize().usedBytes);
  const pendingHelp = "Groups of changes that are not on disk yet.";
  addGauge(register, "rolltape_storage_pending_writes", pendingHelp, () => storage.pending);
  const failedHelp = "1 while the disk refuses writes, so that calls that change something are refused, else 0.";
  addGauge(register, "rolltape_storage_failed", failedHelp, () => (storage.failure ? 1 : 0));
  const damagedHelp =
    "Stored sessions that could not be read because their data is damaged, and that were not freed since.";
  addGauge(register, "rolltape_storage_damaged_sessions", damagedHelp, () => records.damagedSessions);
  const waits = new Histogram({
    name: "rolltape_storage_wait_seconds",
    help: "Time that an answer waits for the disk, in seconds.",
    buckets: WAIT_BUCKETS,
    registers: [register],
  });
  return storage.onWait((seconds) => waits.observe(seconds));
}
