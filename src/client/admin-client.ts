import type { Readable } from "node:stream";
import { z } from "zod";
import type { WithoutChannels } from "../facts/channels.js";
import type { SamplingOverrideFields } from "../facts/sampling-override.js";
import { readKeyTag } from "../session/worker-tag.js";
import type { SessionTranscript } from "../transcript/format.js";
import { sessionTranscript } from "../transcript/schema.js";
import type { HttpReply } from "./connection-pool.js";
import { ProxyError } from "./errors.js";
import type { FilterFields } from "./export-filters.js";
import type { ExportStyle } from "./interaction.js";
import { type Interactions, toInteractions } from "./interactions.js";
import { type CallOptions, type ProxyCall, ProxyCalls } from "./proxy-calls.js";
import { proxyUrl, type Transport } from "./transport.js";
import {
  type FinishOptions,
  type NewWeights,
  WeightCalls,
  type WeightsOptions,
  type WeightsStatus,
} from "./weight-calls.js";
import { trajectoriesReply } from "./wire-interaction.js";

export interface StartSessionOptions extends CallOptions {
  /** Default `task`. */
  readonly taskId?: string | undefined;
  readonly groupId?: string | undefined;
  /**
   * Sampling parameters of each call of the session, spelled as in docs/reference/http-api.md. They replace those of requests and
   * of `rollout.agent.sampling_override`.
   */
  readonly samplingOverride?: SamplingOverrideFields | undefined;
  /** Channels that the session does not record, although the server does, such as `routed_experts`. */
  readonly withoutChannels?: WithoutChannels;
  /** `eval`: an evaluation session, which exports of training sessions refuse. Default: `train`. */
  readonly split?: "train" | "eval" | undefined;
  /** Lease of the rollout job that starts the session, by which {@link AdminClient.deleteLease} finds it. */
  readonly leaseId?: string | undefined;
  /** A session key of the caller's choice, 16 characters or more. */
  readonly apiKey?: string | undefined;
}

/** Options with which all sessions of a run start. */
export type StartRunOptions = Omit<StartSessionOptions, "leaseId" | "apiKey">;

export interface StartedRun {
  readonly runId: string;
  /** The key of all calls of the run. Each also needs the header `X-Session-ID`: the first model call with a new value starts a session. */
  readonly runApiKey: string;
}

/** A session of a run. */
export interface RunSession {
  readonly sessionId: string;
  readonly xSessionId: string;
  readonly state: string;
}

export interface StartedSession {
  readonly sessionId: string;
  readonly sessionApiKey: string;
  /**
   * Address of the session's worker, without `/v1`, for model calls that bypass the gateway. If it is undefined, model calls go to
   * the proxy: it is not a gateway with `gateway.direct`, or the worker did not answer at its address.
   */
  readonly baseUrl?: string | undefined;
}

export interface TakeOverOptions extends CallOptions {
  /** The lease that the session must have. Undefined: any, or none. */
  readonly fromLeaseId?: string | undefined;
  /** Its new lease. Undefined: it keeps its lease. */
  readonly leaseId?: string | undefined;
}

/** A session with its new key, and what it has recorded. */
export interface TakenSession extends StartedSession {
  readonly transcript: SessionTranscript;
}

/** The sessions to end, by their groups, ids or runs. */
export interface EndSessionsOptions extends CallOptions {
  readonly groupIds?: readonly string[] | undefined;
  readonly sessionIds?: readonly string[] | undefined;
  readonly runIds?: readonly string[] | undefined;
  /** Aborts their calls in flight, which are then not recorded. Default: they go on. */
  readonly abort?: boolean | undefined;
}

/** A session after {@link AdminClient.endSessions}. */
export interface EndedSession {
  readonly sessionId: string;
  readonly groupId: string | null;
  readonly state: string;
  readonly interactionCount: number;
  /** Calls that were aborted because the session ended or was exported. */
  readonly incompleteCalls: number;
  readonly callsInFlight: number;
}

export interface EndedSessions {
  readonly sessions: readonly EndedSession[];
  /** Those of the ids that no session has. */
  readonly notFound: readonly string[];
  /** Workers of a gateway that did not answer. Their sessions may be active; repeat the call. */
  readonly unavailableWorkers: readonly string[];
}

/** Export options, spelled as in docs/reference/http-api.md. */
export interface ExportFields extends FilterFields {
  /** The split of the sessions. The export refuses others. Default: `train`. */
  readonly split?: "train" | "eval" | undefined;
  readonly style?: ExportStyle | undefined;
  readonly discount?: number | undefined;
  readonly concat_reward?: "leaf" | "return" | undefined;
  readonly include_undelivered?: boolean | undefined;
  readonly on_mismatch?: "error" | "split" | undefined;
  readonly wait_seconds?: number | undefined;
  readonly drain_seconds?: number | undefined;
}

export interface TrajectoriesFields extends ExportFields {
  /** Adds the messages, which are untrusted text. */
  readonly include?: readonly "messages"[] | undefined;
}

/** Selects the sessions of an export by their split, and limits the wait for them. */
export type SessionsFields = Pick<ExportFields, "split" | "wait_seconds" | "drain_seconds">;

export interface BatchFields extends ExportFields {
  readonly layout?: "padded" | "packed" | "tree" | undefined;
  readonly pad_token_id?: number | undefined;
  readonly pad_side?: "right" | "left" | undefined;
  readonly pad_to_multiple_of?: number | undefined;
  readonly max_length?: number | undefined;
  readonly overflow?: "error" | "truncate" | "drop" | undefined;
  readonly row_tensors?: boolean | undefined;
  readonly turns?: boolean | undefined;
  readonly shared_turns?: "every" | "first" | "weight" | undefined;
  /** `files` is refused, because an answer has no path beside which files could be. */
  readonly image_bytes?: "tensor" | undefined;
  readonly shards?: number | undefined;
  readonly shard?: number | undefined;
}

export interface HeldBatchFields extends BatchFields {
  readonly lease_seconds?: number | undefined;
  readonly reader_pid?: number | undefined;
}

export interface SharedBatchFields extends HeldBatchFields {
  /** Keeps the sessions until the files are acknowledged. */
  readonly acknowledge?: boolean | undefined;
}

/** A batch whose sessions the proxy keeps until you acknowledge its id. Do so once you have stored it. */
export interface HeldBatch {
  readonly id: string;
  readonly bytes: Uint8Array;
}

/** A batch that is being received. */
export interface ArrivingBatch {
  /** Undefined if the proxy did not send it. */
  readonly byteLength: number | undefined;
  /** Fails if the connection breaks. The error needs no listener; a later reader finds it in `body.errored`. */
  readonly body: Readable;
}

/** A {@link HeldBatch} that was received piece by piece. */
export interface ReceivedBatch<T> extends Pick<HeldBatch, "id"> {
  /** The result of the receiver. */
  readonly received: T;
}

/** A batch in shared memory. Acknowledge its id once you have read it. */
export interface SharedBatch {
  readonly id: string;
  readonly path: string;
  readonly byteLength: number;
}

const capacityReply = z.object({ capacity: z.int() });
const startReply = z.object({ session_id: z.string(), session_api_key: z.string(), base_url: z.url().optional() });
const runReply = z.object({ run_id: z.string(), run_api_key: z.string() });
const runSessionsReply = z.object({
  sessions: z.array(z.object({ session_id: z.string(), x_session_id: z.string(), state: z.string() })),
});
const takeOverReply = startReply.extend({ transcript: sessionTranscript });
const leaseReply = z.object({
  sessions: z.array(z.object({ session_id: z.string(), state: z.string(), lease_id: z.string().nullish() })),
  unavailable_workers: z.array(z.string()).optional(),
});
const endReply = z.object({
  sessions: z.array(
    z
      .object({
        session_id: z.string(),
        group_id: z.string().nullable(),
        state: z.string(),
        interaction_count: z.int(),
        incomplete_calls: z.int(),
        calls_in_flight: z.int(),
      })
      .transform(
        (session): EndedSession => ({
          sessionId: session.session_id,
          groupId: session.group_id,
          state: session.state,
          interactionCount: session.interaction_count,
          incompleteCalls: session.incomplete_calls,
          callsInFlight: session.calls_in_flight,
        }),
      ),
  ),
  not_found: z.array(z.string()),
  unavailable_workers: z.array(z.string()).optional(),
});
const sessionReply = z.object({ state: z.string() });
const versionReply = z.object({ version: z.int() });
const sharedFile = z
  .object({ id: z.string(), path: z.string(), byte_length: z.int() })
  .transform(({ id, path, byte_length }): SharedBatch => ({ id, path, byteLength: byte_length }));
const sharedReply = z.union([
  z.object({ shards: z.array(sharedFile) }).transform(({ shards }) => shards),
  sharedFile.transform((file) => [file]),
]);

const EXPORT_PATH = "/export_batch";
/** Answer header with the id of a held batch. */
const EXPORT_ID = "x-rolltape-export-id";

const EXPORT_TIMEOUT_SECONDS = 600;
/** Longer than the repetitions take if a gateway waits for a worker meanwhile: almost 60 s with its defaults. */
const ACKNOWLEDGE_TIMEOUT_SECONDS = 90;

/** The trainer's calls to a proxy. Each throws a {@link ProxyError} if it fails. */
export class AdminClient {
  readonly transport: Transport;
  readonly #calls: ProxyCalls;
  readonly #weights: WeightCalls;

  constructor(transport: Transport, adminKey: string) {
    this.transport = transport;
    this.#calls = new ProxyCalls(transport, adminKey);
    this.#weights = new WeightCalls(this.#calls);
  }

  /** Adds slots and returns the number of free ones. */
  async grantCapacity(slots = 1, options: CallOptions = {}): Promise<number> {
    const call = { path: "/grant_capacity", body: { slots }, idempotent: false, ...options };
    return (await this.#calls.json(call, capacityReply)).capacity;
  }

  /**
   * Starts a session, which takes a slot. If a gateway returns the address of the worker, this probes the worker there, once for
   * all its sessions.
   *
   * @throws ProxyError `no_capacity` if no slot is free
   */
  async startSession({
    taskId,
    groupId,
    samplingOverride,
    withoutChannels,
    split,
    leaseId,
    apiKey,
    ...options
  }: StartSessionOptions = {}): Promise<StartedSession> {
    const fields = { taskId, groupId, samplingOverride, withoutChannels, split };
    const body = { ...toStartFields(fields), lease_id: leaseId, api_key: apiKey };
    const call = { path: "/rl/start_session", body, idempotent: false, ...options };
    return this.#toStarted(await this.#calls.json(call, startReply));
  }

  /** Creates a key for many sessions. No session is started yet. */
  async startRun({
    taskId,
    groupId,
    samplingOverride,
    withoutChannels,
    split,
    ...options
  }: StartRunOptions = {}): Promise<StartedRun> {
    const body = toStartFields({ taskId, groupId, samplingOverride, withoutChannels, split });
    // A key that its caller did not receive starts nothing.
    const reply = await this.#calls.json({ path: "/rl/start_run", body, idempotent: true, ...options }, runReply);
    return { runId: reply.run_id, runApiKey: reply.run_api_key };
  }

  /** Returns the sessions of a run that can be exported now or once they have ended, oldest first. */
  async runSessions(runId: string, options: CallOptions = {}): Promise<readonly RunSession[]> {
    const path = `/rl/runs/${encodeURIComponent(runId)}/sessions`;
    const reply = await this.#calls.json({ method: "GET", path, idempotent: true, ...options }, runSessionsReply);
    return reply.sessions.map(({ session_id, x_session_id, state }) => {
      return { sessionId: session_id, xSessionId: x_session_id, state };
    });
  }

  /**
   * Gives an active session to another run of its agent: the former key is revoked, calls in flight are aborted, and the recorded
   * answers stay.
   *
   * @throws ProxyError `session_not_found` if there is no such session, or it has another lease; `session_ended`
   */
  async takeOverSession(
    sessionId: string,
    { fromLeaseId, leaseId, ...options }: TakeOverOptions = {},
  ): Promise<TakenSession> {
    const path = `/rl/sessions/${encodeURIComponent(sessionId)}/take_over`;
    const body = { from_lease_id: fromLeaseId, lease_id: leaseId };
    const reply = await this.#calls.json({ path, body, idempotent: true, ...options }, takeOverReply);
    return { ...(await this.#toStarted(reply)), transcript: reply.transcript };
  }

  /** Ends many sessions, for example at the end of a training step. Ending a session again changes nothing. */
  async endSessions({ groupIds, sessionIds, runIds, abort, ...options }: EndSessionsOptions): Promise<EndedSessions> {
    const body = { group_ids: groupIds, session_ids: sessionIds, run_ids: runIds, abort };
    const reply = await this.#calls.json({ path: "/rl/sessions/end", body, idempotent: true, ...options }, endReply);
    const { sessions, not_found: notFound, unavailable_workers: unavailableWorkers = [] } = reply;
    return { sessions, notFound, unavailableWorkers };
  }

  async #toStarted({ session_id, session_api_key, base_url }: z.output<typeof startReply>): Promise<StartedSession> {
    const baseUrl = base_url === undefined ? undefined : await this.#checkAddress(base_url, session_api_key);
    return { sessionId: session_id, sessionApiKey: session_api_key, baseUrl };
  }

  /** Sets the weight version of tokens from engines that report none. */
  async setVersion(version: number, options: CallOptions = {}): Promise<void> {
    await this.#calls.json({ path: "/rl/set_version", body: { version }, idempotent: true, ...options }, versionReply);
  }

  /**
   * Loads new weights into the engine: calls are held, every engine server loads once, the version is set, calls go on. With
   * `external`, resolves when everything is paused; push the weights to the engine servers and call {@link finishWeights}.
   *
   * @throws ProxyError `weights_failed` if it failed. Calls are held: repeat the update, exclude a server or give up.
   */
  updateWeights(weights: NewWeights, options: WeightsOptions = {}): Promise<WeightsStatus> {
    return this.#weights.update(weights, options);
  }

  /** Finishes an external update: flushes the caches, sets the version, lets calls go on. */
  finishWeights(version: number, options: FinishOptions = {}): Promise<WeightsStatus> {
    return this.#weights.finish(version, options);
  }

  /** Gives up an update: servers with known weights go on, the others are drained. */
  abandonWeights(options: CallOptions = {}): Promise<WeightsStatus> {
    return this.#weights.giveUp(options);
  }

  /** Returns the weights of the engine servers, and the progress of an update. */
  weights(options: CallOptions = {}): Promise<WeightsStatus> {
    return this.#weights.status(options);
  }

  /**
   * Aborts the session's calls, revokes its key and frees its data. Returns false if there is no such session.
   *
   * @param options.leaseId deletes the session only if it has this lease, so that a session that was taken over stays
   */
  async deleteSession(
    sessionId: string,
    { leaseId, ...options }: CallOptions & { readonly leaseId?: string | undefined } = {},
  ): Promise<boolean> {
    const query = leaseId === undefined ? "" : `?lease_id=${encodeURIComponent(leaseId)}`;
    const path = `/rl/sessions/${encodeURIComponent(sessionId)}${query}`;
    return this.#delete({ path, ...options }, "session_not_found");
  }

  /**
   * Returns the state of one session: `active`, `ended` or `exported`.
   *
   * @throws ProxyError `session_not_found`; `session_expired` if its data was freed
   */
  async sessionState(sessionId: string, options: CallOptions = {}): Promise<string> {
    const path = `/rl/sessions/${encodeURIComponent(sessionId)}`;
    return (await this.#calls.json({ method: "GET", path, idempotent: true, ...options }, sessionReply)).state;
  }

  /**
   * Returns the messages, answers and rewards of one session, without tokens: untrusted text. The session may be active, ended, or
   * exported and retained.
   *
   * @throws ProxyError `session_not_found`; `session_exported` or `session_expired` if its data was freed
   */
  async transcript(
    sessionId: string,
    { discount = 1 }: { readonly discount?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<SessionTranscript> {
    const path = `/rl/sessions/${encodeURIComponent(sessionId)}/transcript?discount=${discount}`;
    return this.#calls.json({ method: "GET", path, idempotent: true, ...options }, sessionTranscript);
  }

  /**
   * Returns the transcripts of several sessions as JSON lines, for programs that write them elsewhere. The line of a session that
   * cannot be returned has only `session_id` and `error`.
   *
   * The proxy leaves out sessions after the first 8 MiB, but returns at least one line. Ask again for the missing ones.
   *
   * @param sessionIds at most 256
   */
  async transcriptLines(
    sessionIds: readonly string[],
    { discount = 1 }: { readonly discount?: number | undefined } = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const body = { session_ids: sessionIds, discount };
    return this.#calls.bytes({ path: "/rl/transcripts", body, idempotent: true, ...options });
  }

  /**
   * Deletes the active sessions that were started with a lease.
   *
   * @param options.ended also deletes the sessions that have ended and were not exported
   * @returns their number
   * @throws ProxyError `worker_unavailable` if a worker behind a gateway did not answer; it may have more of them
   */
  async deleteLease(
    leaseId: string,
    { ended = false, ...options }: CallOptions & { readonly ended?: boolean | undefined } = {},
  ): Promise<number> {
    const { ids, absent } = await this.#listLease(leaseId, ended ? ["active", "ended"] : ["active"], options);
    for (const id of ids) await this.deleteSession(id, { leaseId, ...options });
    if (absent.length === 0) return ids.length;
    throw new ProxyError("worker_unavailable", `Workers ${absent.join(", ")} did not list their sessions.`);
  }

  /** Returns the active sessions of a lease, oldest first. Workers behind a gateway that do not answer are left out. */
  async activeSessions(leaseId: string, options: CallOptions = {}): Promise<readonly string[]> {
    return (await this.#listLease(leaseId, ["active"], options)).ids;
  }

  async #listLease(leaseId: string, states: readonly string[], options: CallOptions) {
    const [only] = states.length === 1 ? states : [];
    const path = `/rl/sessions?${only === undefined ? "" : `state=${only}&`}lease_id=${encodeURIComponent(leaseId)}`;
    const call = { method: "GET", path, idempotent: true, ...options } as const;
    const { sessions, unavailable_workers: absent = [] } = await this.#calls.json(call, leaseReply);
    // A proxy of an earlier version ignores the filter and lists all sessions.
    const own = sessions.filter(({ lease_id, state }) => lease_id === leaseId && states.includes(state));
    return { ids: own.map(({ session_id }) => session_id), absent };
  }

  /** Returns what one session recorded. The session must have ended, or end within `wait_seconds`. */
  async exportTrajectories(
    sessionId: string,
    fields: TrajectoriesFields = {},
    options: CallOptions = {},
  ): Promise<Interactions> {
    const body = { session_id: sessionId, ...fields };
    const call = { path: "/export_trajectories", body, idempotent: true, ...withExportTimeout(fields, options) };
    return toInteractions(await this.#calls.json(call, trajectoriesReply));
  }

  /** Exports sessions as one safetensors block: all of them, or none. */
  async exportBatch(
    sessionIds: readonly string[],
    fields: BatchFields = {},
    options: CallOptions = {},
  ): Promise<Uint8Array> {
    const body = { session_ids: sessionIds, ...fields, transport: "body" };
    return this.#calls.bytes({ path: "/export_batch", body, idempotent: true, ...withExportTimeout(fields, options) });
  }

  /**
   * Exports sessions like {@link exportBatch}, but the proxy keeps them until you call {@link acknowledge}. If you do not within
   * `lease_seconds`, they can be exported again.
   */
  async exportHeldBatch(
    sessionIds: readonly string[],
    fields: HeldBatchFields = {},
    options: CallOptions = {},
  ): Promise<HeldBatch> {
    const { headers, body } = await this.#calls.reply(heldBatchCall(sessionIds, fields, options));
    return { id: readExportId(headers), bytes: body };
  }

  /**
   * Exports sessions like {@link exportHeldBatch}, but passes the batch to `receive` while it arrives, so it need not fit in memory. If the
   * connection breaks or `receive` rejects, the batch is requested again a few times. A {@link ProxyError} is thrown at once.
   */
  async receiveHeldBatch<T>(
    sessionIds: readonly string[],
    fields: HeldBatchFields,
    receive: (batch: ArrivingBatch) => Promise<T>,
    options: CallOptions = {},
  ): Promise<ReceivedBatch<T>> {
    return this.#calls.receive(heldBatchCall(sessionIds, fields, options), async ({ headers, body }) => {
      const id = readExportId(headers);
      const length = headers["content-length"];
      const byteLength = length === undefined ? undefined : Number(length);
      return { id, received: await receive({ byteLength, body }) };
    });
  }

  /**
   * Requests the records of sessions as a sessions file, and passes it to `receive` while it arrives. `rolltape export` makes batches
   * from it. The sessions stay as they are. If the connection breaks or `receive` rejects, the file is requested again a few times.
   */
  async receiveSessions<T>(
    sessionIds: readonly string[],
    fields: SessionsFields,
    receive: (body: Readable) => Promise<T>,
    options: CallOptions = {},
  ): Promise<T> {
    const body = { session_ids: sessionIds, ...fields };
    const call = { path: "/export_sessions", body, idempotent: true, ...withExportTimeout(fields, options) };
    return this.#calls.receive(call, (reply) => receive(reply.body));
  }

  /** Exports sessions as files in shared memory: one file, or one for each shard. */
  async exportSharedBatch(
    sessionIds: readonly string[],
    fields: SharedBatchFields = {},
    options: CallOptions = {},
  ): Promise<SharedBatch[]> {
    const body = { session_ids: sessionIds, ...fields, transport: "shm" };
    const call = { path: "/export_batch", body, idempotent: false, ...withExportTimeout(fields, options) };
    return this.#calls.json(call, sharedReply);
  }

  /**
   * Tells the proxy that you have stored or read a batch. The proxy then frees the sessions of a held batch, and reuses the
   * memory of a shared one.
   *
   * @returns false if the batch was acknowledged before, or if it is shared and its lease has ended
   * @throws ProxyError `export_lease_ended` if the lease of a held batch has ended, so that its sessions can be exported again
   * @throws ProxyError `worker_unavailable` if a worker behind a gateway does not answer several attempts. Acknowledge the batch
   * again later.
   */
  async acknowledge(batchId: string, options: CallOptions = {}): Promise<boolean> {
    const path = `/export_batch/${encodeURIComponent(batchId)}`;
    const call = { path, repeatIfUnavailable: true, timeoutSeconds: ACKNOWLEDGE_TIMEOUT_SECONDS, ...options };
    return this.#delete(call, "batch_not_found");
  }

  /** Returns the address for the client's calls if the worker that the key names answers there, else undefined. */
  async #checkAddress(address: string, key: string): Promise<string | undefined> {
    const url = proxyUrl(address);
    const tag = readKeyTag(key);
    return tag !== undefined && (await this.transport.reachesWorker?.(url, tag)) ? url : undefined;
  }

  async #delete(call: Pick<ProxyCall, "path"> & Partial<ProxyCall>, absent: string): Promise<boolean> {
    try {
      await this.#calls.bytes({ ...call, method: "DELETE", idempotent: true });
      return true;
    } catch (error) {
      if (error instanceof ProxyError && error.code === absent) return false;
      throw error;
    }
  }
}

function heldBatchCall(sessionIds: readonly string[], fields: HeldBatchFields, options: CallOptions): ProxyCall {
  const body = { session_ids: sessionIds, ...fields, transport: "body", acknowledge: true };
  return { path: EXPORT_PATH, body, idempotent: true, ...withExportTimeout(fields, options) };
}

/** @throws ProxyError `invalid_reply` */
function readExportId(headers: HttpReply["headers"]): string {
  const id = headers[EXPORT_ID];
  if (typeof id === "string") return id;
  throw new ProxyError("invalid_reply", `${EXPORT_PATH} answered with a batch, but without the header ${EXPORT_ID}.`);
}

/** Adds a time limit that allows for packing, sending and the waits that the export asks for. */
function withExportTimeout({ wait_seconds = 0, drain_seconds = 0 }: ExportFields, options: CallOptions): CallOptions {
  return { timeoutSeconds: EXPORT_TIMEOUT_SECONDS + wait_seconds + drain_seconds, ...options };
}

/** Returns the fields with which a session or a run starts, as a request has them. */
function toStartFields({ taskId, groupId, samplingOverride, withoutChannels, split }: StartRunOptions) {
  return {
    task_id: taskId,
    group_id: groupId,
    sampling_override: samplingOverride,
    without_channels: withoutChannels,
    split,
  };
}
