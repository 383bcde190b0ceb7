import { Counter, type Registry } from "prom-client";
import { addGauge } from "../../http/metrics/add-gauge.js";
import type { ArchiveCounts } from "../../storage/archive/outbox.js";

/** The part of an archive that metrics read. */
export interface ObservedArchive {
  readonly outbox: { readonly counts: ArchiveCounts };
  readonly sessions: { readonly pending: number; readonly lost: number };
}

/** Adds the metrics of the archive: what was uploaded, what waits and what failed. */
export function observeArchive({ outbox, sessions }: ObservedArchive, register: Registry): void {
  const add = (name: string, help: string, read: () => number) => {
    const counter: Counter = new Counter({
      name,
      help,
      registers: [register],
      collect: () => {
        counter.reset();
        counter.inc(read());
      },
    });
  };
  const sessionsHelp = "Uploads of sessions to the archive. A session that changes after its upload is uploaded again.";
  add("rolltape_archived_sessions_total", sessionsHelp, () => outbox.counts.uploaded.sessions);
  add("rolltape_archived_bytes_total", "Bytes that were uploaded to the archive.", () => outbox.counts.uploadedBytes);
  const failuresHelp = "Uploads to the archive that failed and are tried again.";
  add("rolltape_archive_failures_total", failuresHelp, () => outbox.counts.failures);
  const lostHelp = "Ended sessions that were freed before they could be written for the archive, or that are damaged.";
  add("rolltape_archive_lost_sessions_total", lostHelp, () => sessions.lost);
  const waitingHelp = "Ended sessions that are not in the archive yet.";
  const waiting = () => sessions.pending + outbox.counts.waiting;
  addGauge(register, "rolltape_archive_waiting_sessions", waitingHelp, waiting);
  const bytesHelp = "Size of the files that wait for their upload to the archive, in bytes.";
  addGauge(register, "rolltape_archive_waiting_bytes", bytesHelp, () => outbox.counts.waitingBytes);
}
