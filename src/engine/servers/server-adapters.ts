import type { LoraAdapter } from "../engine.js";

/** An adapter that a request uses. Dispose of it when the request has ended. */
export interface AdapterUse extends Disposable {
  readonly adapter: LoraAdapter;
}

/**
 * The LoRA adapters of one server. New requests use the current one. An earlier one is unloaded when no request uses it any more, except
 * for the one before the current one: other proxies may not have switched yet.
 */
export class ServerAdapters {
  readonly #unload: (name: string) => Promise<void>;
  #current: LoraAdapter | undefined;
  #previous: LoraAdapter | undefined;
  /** Numbers of requests by the name of their adapter. An adapter that is neither current nor previous has an entry until it is unloaded. */
  readonly #uses = new Map<string, number>();

  /** @param unload unloads an adapter from the server */
  constructor(unload: (name: string) => Promise<void>) {
    this.#unload = unload;
  }

  /** The adapter that new requests use; undefined for the base model. */
  get current(): LoraAdapter | undefined {
    return this.#current;
  }

  /** Makes later requests use another adapter; undefined for the base model. */
  use(adapter: LoraAdapter | undefined): void {
    if (adapter?.name === this.#current?.name) return;
    const last = this.#previous;
    this.#previous = this.#current;
    this.#current = adapter;
    if (adapter) this.#uses.set(adapter.name, this.#uses.get(adapter.name) ?? 0);
    if (last) this.#unloadIfUnused(last.name);
  }

  /** Begins a request; undefined if it uses the base model. */
  begin(): AdapterUse | undefined {
    const adapter = this.#current;
    if (!adapter) return undefined;
    const { name } = adapter;
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + 1);
    return {
      adapter,
      [Symbol.dispose]: () => {
        this.#uses.set(name, (this.#uses.get(name) ?? 1) - 1);
        this.#unloadIfUnused(name);
      },
    };
  }

  #unloadIfUnused(name: string): void {
    if (name === this.#current?.name || name === this.#previous?.name || this.#uses.get(name) !== 0) return;
    this.#uses.delete(name);
    // Another proxy may have unloaded it, or the server was restarted.
    void this.#unload(name).catch(() => undefined);
  }
}
