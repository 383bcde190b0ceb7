import { AdminClient } from "../client/admin-client.js";
import type { CallOptions } from "../client/proxy-calls.js";
import { HttpTransport } from "../client/transport.js";
import type { NewWeights, WeightsOptions } from "../client/weight-calls.js";
import type { RolloutEngine } from "../rollout/contract.js";

/**
 * The weight version that is announced to the proxy. The proxy assigns it to tokens of engines that report no version.
 */
export class AnnouncedVersion {
  readonly #engine: RolloutEngine;
  #initial: number | undefined;
  #announcing: Promise<void> | undefined;

  /** @param initial version to announce before any task may start; undefined if the proxy already has the right one */
  constructor(engine: RolloutEngine, initial: number | undefined) {
    this.#engine = engine;
    this.#initial = initial;
  }

  /** True if no version has to be announced before tasks may start. */
  get settled(): boolean {
    return this.#initial === undefined;
  }

  /**
   * Announces the initial version once, however many callers wait for it. After a failure, the next call tries again.
   */
  async settle(): Promise<void> {
    if (this.#initial === undefined) return;
    this.#announcing ??= this.#send(this.#initial, {}).finally(() => (this.#announcing = undefined));
    await this.#announcing;
  }

  async announce(version: number, options: CallOptions = {}): Promise<void> {
    // The initial version, if it is being sent, must not arrive after this one.
    await this.#announcing?.catch(() => {});
    await this.#send(version, options);
  }

  /** Has the proxy load weights, which also sets the version. */
  async load(weights: NewWeights, options: WeightsOptions): Promise<void> {
    await this.#announcing?.catch(() => {});
    await this.#admin.updateWeights(weights, options);
    this.#initial = undefined;
  }

  get #admin(): AdminClient {
    const { url, connections, adminKey } = this.#engine;
    return new AdminClient(new HttpTransport(url, connections), adminKey);
  }

  async #send(version: number, options: CallOptions): Promise<void> {
    await this.#admin.setVersion(version, options);
    this.#initial = undefined;
  }
}
