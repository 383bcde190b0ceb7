import { z } from "zod";
import { EXPORT_ID } from "../../admin-api/batch-request.js";
import { episodesAnswer } from "../../admin-api/shard-request.js";
import { mergeOrigins } from "../../session/batch/merge-origins.js";
import { parseReply } from "../relay.js";
import type { WorkerReply, WorkerStream } from "../worker-connections.js";
import {
  BatchExport,
  type BatchExportOptions,
  droppedError,
  HOLD_SECONDS,
  LEFT,
  type Settlement,
  TAKE_SECONDS,
  toSettle,
} from "./batch-export.js";
import { placeShards } from "./place-shard.js";
import { mergeRefusals, type PartRefusal } from "./refusal.js";
import { closeFiles, openFiles, refuseErrors, type WorkerShare } from "./worker-file.js";

/** A shard that one worker packs from its own sessions. */
export interface ShardRequest {
  /** All sessions in the order of the export. */
  readonly sessionIds: readonly string[];
  /** The options of the batch, as fields of the request. */
  readonly options: object;
  readonly waits: { readonly split: string; readonly wait_seconds: number; readonly drain_seconds: number | undefined };
  readonly shards: number;
  readonly shard: number;
  readonly readerHosts: readonly string[] | undefined;
  /** How the worker on this machine delivers the batch. */
  readonly toTransport: (machine: string | undefined) => object;
  /** Creates the id of the batch. */
  readonly newId: (owner: WorkerShare) => string;
  /** Time in which the client must acknowledge the batch. Absent: it does not. */
  readonly leaseSeconds: number | undefined;
}

/** The answer of the worker that packed the shard. Its body is not read yet. */
export interface OpenShard {
  readonly id: string;
  readonly stream: WorkerStream;
}

interface Prepared {
  readonly share: WorkerShare;
  readonly exportId: string;
}

const PREPARE_SHARD = "/export_batch/prepare_shard";
const readyReply = z.object({ machine: z.string().optional(), model: z.string(), model_digest: z.string() });

/**
 * Exports one shard that a worker packs from its own sessions. The steps are those of {@link BatchExport}, with other answers in step 2:
 * the worker of the shard sends the packed batch, and the others send the rewards of their sessions, which the batch needs for its groups.
 *
 * Every worker marks its sessions as exported for this shard before the batch is sent, so the rewards in all shards are the same.
 */
export class ShardExport {
  readonly #options: BatchExportOptions;
  readonly #job: BatchExport;
  readonly #prepared: Prepared[] = [];

  /** @param options whose shares are in an order that is the same for each shard */
  constructor(options: BatchExportOptions) {
    this.#options = options;
    this.#job = new BatchExport(options);
  }

  /** @throws ApiError that names each session that cannot be exported; no session is exported then */
  async open(request: ShardRequest): Promise<OpenShard> {
    const { shares, signal } = this.#options;
    const ready = (await this.#job.waitUntilReady(request.waits)).map((reply) => parseReply(reply, readyReply));
    // A token id must mean the same text in all shards.
    mergeOrigins(ready.map(({ model, model_digest: modelDigest }) => ({ model, modelDigest, config: {} })));
    const machines = ready.map(({ machine }) => machine);
    const place = placeShards(machines, request.shards, request.readerHosts)[request.shard];
    const owner = place && shares[place.worker];
    if (!owner) throw new RangeError(`Shard ${request.shard} has no place.`);
    const id = request.newId(owner);
    let stream: WorkerStream | undefined;
    try {
      const others = await this.#describeOthers(owner, request);
      stream = await this.#pack(owner, request, {
        ...request.toTransport(machines[place.worker]),
        id,
        shards: place.shards,
        shard: place.shard,
        others,
      });
      signal.throwIfAborted();
      await this.#hold(id, request);
      return { id, stream };
    } catch (error) {
      stream?.body.destroy();
      await Promise.all(this.#prepared.map(({ share, exportId }) => this.#settle(share, exportId, LEFT)));
      await this.withdraw(id);
      throw error;
    }
  }

  /** Ends the leases of a batch that the client did not receive. */
  withdraw(id: string): Promise<void> {
    return this.#job.withdraw([id]);
  }

  /** Returns the sessions of the other workers with their positions in the export. */
  async #describeOthers(owner: WorkerShare, { sessionIds, ...request }: ShardRequest): Promise<object[]> {
    const others = this.#options.shares.filter((share) => share !== owner);
    const replies = await Promise.all(
      others.map((share) =>
        this.#job.call(share, PREPARE_SHARD, { ...toFields(request), session_ids: share.sessionIds }),
      ),
    );
    const refusals = others.flatMap((share, index): PartRefusal[] => {
      const reply = replies[index];
      const exportId = reply?.headers[EXPORT_ID];
      if (exportId !== undefined) this.#prepared.push({ share, exportId: String(exportId) });
      return reply && reply.status < 300 ? [] : [{ sessionIds: share.sessionIds, reply }];
    });
    if (refusals.length > 0) throw mergeRefusals(refusals);
    const answers = replies.flatMap((reply) => (reply ? [parseReply(reply, episodesAnswer)] : []));
    const positions = new Map(sessionIds.map((id, position) => [id, position]));
    return answers
      .flatMap(({ episodes }) => episodes)
      .map((episode) => ({ ...episode, position: positions.get(episode.session_id) ?? 0 }))
      .sort((a, b) => a.position - b.position);
  }

  /** Returns the packed shard, whose body is not read yet. */
  async #pack(share: WorkerShare, request: Omit<ShardRequest, "sessionIds">, pack: object): Promise<WorkerStream> {
    const fields = { ...toFields(request), pack };
    const files = await openFiles([share], { ...this.#options, path: PREPARE_SHARD, fields });
    try {
      await refuseErrors(files);
    } catch (error) {
      closeFiles(files);
      throw error;
    }
    const [stream] = files.flatMap((file) => file.stream ?? []);
    if (!stream) throw droppedError();
    this.#prepared.push({ share, exportId: String(stream.headers[EXPORT_ID]) });
    return stream;
  }

  /** Marks the sessions of every worker as exported. Without leases, makes that final. */
  async #hold(id: string, { shards, shard, leaseSeconds }: ShardRequest): Promise<void> {
    const held: Settlement = {
      outcome: "held",
      exports: [{ id, shards, shard }],
      lease_seconds: leaseSeconds ?? TAKE_SECONDS,
    };
    const replies = await Promise.all(this.#prepared.map(({ share, exportId }) => this.#settle(share, exportId, held)));
    if (!replies.every((reply) => reply !== undefined && reply.status < 300)) throw droppedError();
    if (leaseSeconds === undefined) await this.#job.take([id]);
  }

  #settle(share: WorkerShare, exportId: string, settlement: Settlement): Promise<WorkerReply | undefined> {
    return this.#job.call(share, toSettle(exportId), settlement);
  }
}

function toFields({
  options,
  waits: { split, drain_seconds },
  shards,
  shard,
}: Omit<ShardRequest, "sessionIds">): object {
  return { ...options, split, drain_seconds, shards, shard, hold_seconds: HOLD_SECONDS };
}
