import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import type { AdminClient, ArrivingBatch, BatchFields } from "../../client/admin-client.js";
import { ProxyError } from "../../client/errors.js";
import type { RolloutBatch } from "../../job/rollout-batch.js";
import { isProxyAbsent } from "../../rollout/proxy-loss.js";

type SurvivorsClient = Pick<AdminClient, "receiveHeldBatch" | "acknowledge" | "deleteSession">;

export interface SurvivorsOptions<Content> {
  readonly admin: SurvivorsClient;
  /** Receives the batch. Is called again if the connection breaks. */
  readonly receive: (batch: ArrivingBatch) => Promise<Content>;
  readonly fields: BatchFields;
  /** Leaves out the whole group if one of its members was lost. */
  readonly dropIncompleteGroup: boolean;
  /** Exports nothing if sessions were lost, because their tasks may run again. */
  readonly stopIfLost?: boolean;
  /** Sessions that are known to be lost. */
  readonly lost?: ReadonlySet<string>;
  /** Sessions that a filter leaves out of the batch. */
  readonly filtered?: ReadonlySet<string>;
  /** Waits until a proxy that was lost answers again. Returns false if it does not. Default: does not wait. */
  readonly waitForProxy?: () => Promise<boolean>;
  /** Pauses before retries if a worker does not answer, because it may be busy or unreachable for a moment only. */
  readonly pausesMs?: readonly number[];
}

export interface Survivors<Content> {
  /** The batch as it was received; undefined if no session is left. */
  readonly content: Content | undefined;
  /** Sessions that were lost with their proxy worker. */
  readonly lost: ReadonlySet<string>;
  /** Number of sessions that were left out because their group was incomplete. */
  readonly leftOut: number;
  /** Sessions of the batch. */
  readonly sessionIds: readonly string[];
  /** Frees all sessions on the proxy, including those that were left out. Call it once the batch is on disk. */
  release(): Promise<void>;
}

/** The proxy did not export a batch. The cause says why. */
export class BatchExportError extends Error {
  override readonly name = "BatchExportError";
  /** Sessions of the batch that are not known to be lost. */
  readonly sessionIds: readonly string[];

  constructor(sessionIds: readonly string[], cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(`a batch could not be exported: ${why.replace(/[.]?$/, ".")}`, { cause });
    this.sessionIds = sessionIds;
  }
}

/** Error codes of sessions that were lost, because their worker died or was restarted. */
const LOST_CODES = new Set(["worker_unavailable", "session_not_found", "session_expired"]);

/** An export that makes the proxy crash must end. */
const MAX_OUTAGES = 5;

const PAUSES_MS = [1000, 2000, 4000];

/** Time in which the job must write a batch. After that, the proxy treats the sessions as not exported. */
const LEASE_SECONDS = 3600;

const refusedSession = z.object({ session_id: z.string(), code: z.string() });
const refusal = z.object({ sessions: z.array(refusedSession) });
type RefusedSession = z.output<typeof refusedSession>;

/**
 * Exports a batch without lost sessions, so that the death of a worker costs only its own sessions.
 *
 * @throws BatchExportError if the proxy refuses for another reason, or does not answer
 */
export async function exportSurvivors<Content>(
  batch: Pick<RolloutBatch, "tasks" | "sessionIds">,
  options: SurvivorsOptions<Content>,
): Promise<Survivors<Content>> {
  const { admin, receive, fields, stopIfLost = false, pausesMs = PAUSES_MS, waitForProxy } = options;
  const { filtered = new Set() } = options;
  let outages = 0;
  const gone = new Set<string>(options.lost);
  const pauses = [...pausesMs];
  for (;;) {
    const survivors = batch.tasks.flatMap(({ accepted }) => listSurvivors(accepted, gone, options));
    const kept = survivors.filter((id) => !filtered.has(id));
    const left = batch.sessionIds.filter((id) => !gone.has(id) && !kept.includes(id));
    if (stopIfLost && gone.size > 0)
      return { content: undefined, lost: gone, leftOut: 0, sessionIds: [], release: () => Promise.resolve() };
    try {
      const request = { ...fields, lease_seconds: LEASE_SECONDS };
      const held = kept.length > 0 ? await admin.receiveHeldBatch(kept, request, receive) : undefined;
      const release = async () => {
        await Promise.allSettled([
          ...left.map((id) => admin.deleteSession(id)),
          ...(held ? [freeSessions(admin, held.id, kept)] : []),
        ]);
      };
      return {
        content: held?.received,
        lost: gone,
        leftOut: left.length - (survivors.length - kept.length),
        sessionIds: kept,
        release,
      };
    } catch (error) {
      const refused = readLostSessions(error).filter(({ session_id }) => !gone.has(session_id));
      if (refused.length === 0) {
        const waits = isProxyAbsent(error) && outages++ < MAX_OUTAGES;
        if (waits && (await waitForProxy?.())) continue;
        throw new BatchExportError(kept, error);
      }
      const pause = refused.some(({ code }) => code === "worker_unavailable") ? pauses.shift() : undefined;
      if (pause !== undefined) await sleep(pause);
      else for (const { session_id } of refused) gone.add(session_id);
    }
  }
}

/** Codes of acknowledgements after which sessions of the batch could be exported again. */
const UNACKNOWLEDGED_CODES = new Set(["export_lease_ended", "worker_unavailable"]);

/**
 * Acknowledges a batch. If its lease has ended or a worker stays unavailable, deletes its sessions instead, because their rows are
 * already on disk.
 */
async function freeSessions(admin: SurvivorsClient, batchId: string, sessionIds: readonly string[]): Promise<void> {
  try {
    await admin.acknowledge(batchId);
  } catch (error) {
    if (!(error instanceof ProxyError) || !UNACKNOWLEDGED_CODES.has(error.code)) throw error;
    await Promise.allSettled(sessionIds.map((id) => admin.deleteSession(id)));
  }
}

function listSurvivors(
  accepted: readonly { readonly sessionId: string }[],
  gone: ReadonlySet<string>,
  { dropIncompleteGroup }: Pick<SurvivorsOptions<unknown>, "dropIncompleteGroup">,
): string[] {
  const ids = accepted.map(({ sessionId }) => sessionId);
  const kept = ids.filter((id) => !gone.has(id));
  return dropIncompleteGroup && kept.length < ids.length ? [] : kept;
}

/**
 * Returns the lost sessions of an error; empty if there is another reason too, because leaving sessions out would not
 * help.
 */
function readLostSessions(error: unknown): readonly RefusedSession[] {
  if (!(error instanceof ProxyError)) return [];
  const sessions = refusal.safeParse(error.details).data?.sessions ?? [];
  return sessions.every(({ code }) => LOST_CODES.has(code)) ? sessions : [];
}
