import type { SglangScheduler } from "./sglang/scheduler.js";

/** What the next load does instead of loading. */
export type LoadFault =
  /** `untouched`: failed before the first tensor, for example because there is no such folder. */
  { readonly kind: "fail"; readonly message: string; readonly untouched?: boolean } | { readonly kind: "hang" };

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

  /** A failed load has left tensors in layers that are not complete, as in vLLM. */
  #halfLoaded = false;

  /** Like {@link load}. After a failure, loads fail until {@link discardLayers}. The message is that of a worker of vLLM 0.32.0. */
  async loadLayers(scheduler: SglangScheduler, path: string): Promise<string | undefined> {
    if (this.#halfLoaded) return "'Parameter' object has no attribute 'weight_loader'";
    const [fault] = this.faults;
    const failure = await this.load(scheduler, path);
    this.#halfLoaded = failure !== undefined && !(fault?.kind === "fail" && fault.untouched === true);
    return failure;
  }

  /** A load of no tensors. */
  discardLayers(): undefined {
    this.#halfLoaded = false;
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
