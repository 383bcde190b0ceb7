import type { SglangScheduler } from "./sglang/scheduler.js";

/** What the next load does instead of loading. */
export type LoadFault = { readonly kind: "fail"; readonly message: string } | { readonly kind: "hang" };

/** Loads of weights by an engine server's test double. A test can hold them, or make them fail. */
export class WeightLoads {
  readonly faults: LoadFault[] = [];
  #gate: Promise<void> | undefined;

  /** Holds loads until the returned function is called. */
  hold(): () => void {
    let open: () => void = () => {};
    this.#gate = new Promise((resolve) => (open = resolve));
    return () => {
      this.#gate = undefined;
      open();
    };
  }

  /** Loads weights. Returns the message of a failure. */
  async load(scheduler: SglangScheduler, path: string): Promise<string | undefined> {
    const fault = this.faults.shift();
    await this.#gate;
    if (fault?.kind === "hang") await new Promise(() => undefined);
    if (fault?.kind === "fail") return fault.message;
    scheduler.load(path);
    return undefined;
  }
}
