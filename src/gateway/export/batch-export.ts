import { EXPORT_ID } from "../../control/batch-request.js";
import { ApiError } from "../../http/errors.js";
import { type MergedBatch, type MergeOptions, mergeParts } from "../batch/merge.js";
import { readPart } from "../batch/part.js";
import type { Upstream, UpstreamReply } from "../upstream.js";
import type { Worker } from "../worker-pool.js";
import { type PartRefusal, refusalOf } from "./refusal.js";

/** A worker and which of the batch's sessions it has. */
export interface WorkerShare {
  readonly worker: Worker;
  readonly sessionIds: readonly string[];
}

export interface BatchExportOptions {
  readonly upstream: Upstream;
  readonly shares: readonly WorkerShare[];
  /** The asker's key. */
  readonly headers: Readonly<Record<string, string>>;
  /** The asker has gone. */
  readonly signal: AbortSignal;
}

interface Asked {
  readonly share: WorkerShare;
  readonly answer: UpstreamReply | undefined;
}

/** How long a worker keeps its part open. Its sessions take no rewards for that long. */
const HOLD_SECONDS = 60;

/**
 * One batch over several workers, all of it or nothing. First every worker waits until its sessions can be exported. Then
 * each packs its part and holds it. Only when all parts are here and fit together are the workers told to take their
 * sessions; on any other way out, and without a word from here, none does.
 */
export class BatchExport {
  readonly #options: BatchExportOptions;

  constructor(options: BatchExportOptions) {
    this.#options = options;
  }

  /** @throws {@link ApiError} that names each session that cannot be exported */
  async ready(waits: object): Promise<void> {
    const asked = await this.#askAll("/export_batch/ready", waits);
    this.#options.signal.throwIfAborted();
    throwRefusals(asked);
  }

  /**
   * Answers the batch once every worker has taken its sessions.
   *
   * @param sessionIds the order of the batch
   * @param request options of the parts
   */
  async collect(sessionIds: readonly string[], request: object, options: MergeOptions): Promise<MergedBatch> {
    const prepared = await this.#askAll("/export_batch/prepare", { ...request, hold_seconds: HOLD_SECONDS });
    let outcome: "taken" | "left" = "left";
    try {
      // Not before: those who have prepared their part are to hear that it is left.
      this.#options.signal.throwIfAborted();
      throwRefusals(prepared);
      const parts = prepared.map(({ answer }) => readPart(answer?.body ?? new Uint8Array()));
      const batch = mergeParts(parts, sessionIds, options);
      this.#options.signal.throwIfAborted();
      outcome = "taken";
      return batch;
    } finally {
      const settled = await Promise.all(prepared.map((asked) => this.#settle(asked, outcome)));
      if (outcome === "taken") throwUnsettled(settled);
    }
  }

  #askAll(path: string, body: object): Promise<Asked[]> {
    const { shares, signal } = this.#options;
    return Promise.all(
      shares.map(async (share) => {
        const sent = { ...body, session_ids: share.sessionIds };
        return { share, answer: await this.#call(share, path, sent, signal) };
      }),
    );
  }

  /** Undefined where nothing was prepared. A worker that died since has taken its sessions with it. */
  async #settle({ share, answer }: Asked, outcome: "taken" | "left"): Promise<UpstreamReply | undefined> {
    const id = answer?.headers[EXPORT_ID];
    if (id === undefined) return undefined;
    return this.#call(share, `/export_batch/${String(id)}/settle`, { outcome });
  }

  async #call(
    { worker }: WorkerShare,
    path: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<UpstreamReply | undefined> {
    const { upstream, headers } = this.#options;
    try {
      return await upstream.call(worker.url, { path, headers, body, ...(signal ? { signal } : {}) });
    } catch {
      if (!signal?.aborted) worker.state = "down";
      return undefined;
    }
  }
}

function throwRefusals(asked: readonly Asked[]): void {
  const refusals = asked.flatMap(({ share, answer }): PartRefusal[] =>
    answer && answer.status < 300 ? [] : [{ sessionIds: share.sessionIds, answer }],
  );
  if (refusals.length > 0) throw refusalOf(refusals);
}

/** A part that was held too long was left: its sessions may have new rewards by now. */
function throwUnsettled(settled: readonly (UpstreamReply | undefined)[]): void {
  if (settled.every((answer) => answer === undefined || answer.status < 300)) return;
  const message = "A worker waited too long for the others and took back its part. Nothing is lost: export again.";
  throw new ApiError("batch_not_exportable", message, { param: "session_ids" });
}
