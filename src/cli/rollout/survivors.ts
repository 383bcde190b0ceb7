import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AdminClient, BatchFields } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import type { RolloutBatch } from "../../rollout/controller/rollout-batch.js";

export interface SurvivorsOptions {
  readonly admin: Pick<AdminClient, "exportBatch" | "deleteSession">;
  readonly fields: BatchFields;
  /** Whether a group that lost a member is left out whole. */
  readonly dropIncompleteGroup: boolean;
  /** A worker that does not answer may be busy, or out of reach for a moment only: it is asked again after these. */
  readonly pausesMs?: readonly number[];
}

export interface Survivors {
  /** Undefined where nothing is left. */
  readonly bytes: Uint8Array | undefined;
  /** Sessions that went with their proxy worker. */
  readonly lost: number;
  /** Sessions that were left out because their group was not whole any more. */
  readonly leftOut: number;
  /** Sessions of the batch. */
  readonly sessionIds: readonly string[];
  /** Deletes the sessions that were left out. To be called once the batch is on the disk. */
  release(): Promise<void>;
}

/** The proxy did not export a batch. The cause says why. */
export class BatchExportError extends Error {
  override readonly name = "BatchExportError";
  /** Sessions of the batch that are not known to be gone. */
  readonly sessionIds: readonly string[];

  constructor(sessionIds: readonly string[], cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`a batch could not be exported: ${why.replace(/[.]?$/, ".")}`, { cause });
    this.sessionIds = sessionIds;
  }
}

/** What the proxy says of sessions that are no more: they went with their worker, or with its last life. */
const GONE = new Set(["worker_unavailable", "session_not_found", "session_expired"]);

const PAUSES_MS = [1000, 2000, 4000];

const refusedSession = z.object({ session_id: z.string(), code: z.string() });
const refusal = z.object({ sessions: z.array(refusedSession) });
type RefusedSession = z.output<typeof refusedSession>;

/**
 * Exports a batch without the sessions that are gone. One worker's death costs its own sessions, not the batch.
 *
 * @throws BatchExportError if the proxy refuses for another reason, or does not answer
 */
export async function exportSurvivors(
  batch: Pick<RolloutBatch, "tasks" | "sessionIds">,
  options: SurvivorsOptions,
): Promise<Survivors> {
  const { admin, fields, pausesMs = PAUSES_MS } = options;
  const gone = new Set<string>();
  const pauses = [...pausesMs];
  for (;;) {
    const kept = batch.tasks.flatMap(({ accepted }) => survivors(accepted, gone, options));
    const left = batch.sessionIds.filter((id) => !gone.has(id) && !kept.includes(id));
    try {
      const bytes = kept.length > 0 ? await admin.exportBatch(kept, fields) : undefined;
      const release = async () => void (await Promise.allSettled(left.map((id) => admin.deleteSession(id))));
      return { bytes, lost: gone.size, leftOut: left.length, sessionIds: kept, release };
    } catch (error) {
      const refused = goneSessions(error).filter(({ session_id }) => !gone.has(session_id));
      if (refused.length === 0) throw new BatchExportError(kept, error);
      const pause = refused.some(({ code }) => code === "worker_unavailable") ? pauses.shift() : undefined;
      if (pause !== undefined) await sleep(pause);
      else for (const { session_id } of refused) gone.add(session_id);
    }
  }
}

function survivors(
  accepted: readonly { readonly sessionId: string }[],
  gone: ReadonlySet<string>,
  { dropIncompleteGroup }: SurvivorsOptions,
): string[] {
  const ids = accepted.map(({ sessionId }) => sessionId);
  const kept = ids.filter((id) => !gone.has(id));
  return dropIncompleteGroup && kept.length < ids.length ? [] : kept;
}

/** Empty where anything else is in the way, too: that is not cured by leaving sessions out. */
function goneSessions(error: unknown): readonly RefusedSession[] {
  if (!(error instanceof ProxyError)) return [];
  const sessions = refusal.safeParse(error.details).data?.sessions ?? [];
  return sessions.every(({ code }) => GONE.has(code)) ? sessions : [];
}
