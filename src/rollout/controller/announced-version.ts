import { AdminClient } from "../../client/admin-client.js";
import type { CallOptions } from "../../client/proxy-calls.js";
import { HttpTransport } from "../../client/transport.js";
import type { RolloutEngine } from "../contract.js";

/** The weight version that the proxy was told, which it gives to the tokens of engines that report none. */
export class AnnouncedVersion {
  readonly #engine: RolloutEngine;
  #awaited: number | undefined;
  #telling: Promise<void> | undefined;

  /** @param awaited version that the proxy has to know before anything may start; undefined: what it knows is right */
  constructor(engine: RolloutEngine, awaited: number | undefined) {
    this.#engine = engine;
    this.#awaited = awaited;
  }

  /** Nothing has to be told before anything may start. */
  get settled(): boolean {
    return this.#awaited === undefined;
  }

  /** Tells what is awaited, once whoever asks; where that fails, the next call tries again. */
  async settle(): Promise<void> {
    if (this.#awaited === undefined) return;
    this.#telling ??= this.#send(this.#awaited, {}).finally(() => (this.#telling = undefined));
    await this.#telling;
  }

  async tell(version: number, options: CallOptions = {}): Promise<void> {
    // An older version that is on its way must not arrive behind this one.
    await this.#telling?.catch(() => {});
    await this.#send(version, options);
  }

  async #send(version: number, options: CallOptions): Promise<void> {
    const { url, connections, adminKey } = this.#engine;
    await new AdminClient(new HttpTransport(url, connections), adminKey).setVersion(version, options);
    this.#awaited = undefined;
  }
}
