import { AdminClient, type BatchFields, type SharedBatch, type SharedBatchFields } from "../client/admin-client.js";
import type { CallOptions } from "../client/proxy-calls.js";
import { HttpTransport } from "../client/transport.js";
import type { RolloutEngine } from "../rollout/contract.js";
import { ControllerError } from "./errors.js";
import type { TaskResult } from "./task.js";

/**
 * Accepted tasks that the trainer consumes together. Their sessions have ended, and keep their data until the export.
 */
export class RolloutBatch<Data = unknown> {
  /** In the order in which they were submitted. */
  readonly tasks: readonly TaskResult<Data>[];
  /** The weight version at the time when the batch was complete. */
  readonly version: number;
  readonly #engine: RolloutEngine;
  readonly #fields: BatchFields;

  /** @param fields default fields of the export */
  constructor(tasks: readonly TaskResult<Data>[], version: number, engine: RolloutEngine, fields: BatchFields) {
    this.tasks = tasks;
    this.version = version;
    this.#engine = engine;
    this.#fields = fields;
  }

  /** Session ids in the order of the tasks, and of the members of each group. */
  get sessionIds(): string[] {
    return this.tasks.flatMap(({ accepted }) => accepted.map(({ sessionId }) => sessionId));
  }

  /**
   * Exports all sessions as one safetensors block. If that fails, no session is exported, and it can be called again.
   */
  export(fields: BatchFields = {}, options: CallOptions = {}): Promise<Uint8Array> {
    return this.#admin().exportBatch(this.sessionIds, { ...this.#fields, ...fields }, options);
  }

  /** Exports all sessions as files in shared memory. */
  exportShared(fields: SharedBatchFields = {}, options: CallOptions = {}): Promise<SharedBatch[]> {
    return this.#admin().exportSharedBatch(this.sessionIds, { ...this.#fields, ...fields }, options);
  }

  /** Frees the sessions without an export. */
  async discard(options: CallOptions = {}): Promise<void> {
    const admin = this.#admin();
    await Promise.all(this.sessionIds.map((id) => admin.deleteSession(id, options)));
  }

  #admin(): AdminClient {
    const urls = new Set(this.tasks.flatMap(({ accepted }) => accepted.map(({ url }) => url)));
    const [url = this.#engine.url] = urls;
    if (urls.size > 1) {
      const message =
        `The sessions of this batch are on several proxies: ${[...urls].join(", ")}. One call can export the sessions of one ` +
        "proxy only.";
      throw new ControllerError("several_proxies", message);
    }
    return new AdminClient(new HttpTransport(url, this.#engine.connections), this.#engine.adminKey);
  }
}
