import type { WorkerServer } from "./workers.js";

export interface HeldPrepare {
  /** Returns true once an export has reached the worker and waits there. */
  readonly waits: () => boolean;
  readonly release: () => void;
}

/** Makes a worker's next export wait until it is released. */
export function holdPrepare({ proxy }: WorkerServer): HeldPrepare {
  const { exporter } = proxy.context;
  const prepare = exporter.prepare.bind(exporter);
  let waits = false;
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  exporter.prepare = async (...given) => {
    waits = true;
    await released;
    return prepare(...given);
  };
  return { waits: () => waits, release };
}
