import { readMebibytes } from "../processes.js";
import type { Api } from "./api.js";

/** Largest values while the server was watched. */
export interface Watched {
  storeMebibytes: number;
  heapMebibytes: number;
  /** Answers of /health that were not 200, and probes without an answer. */
  unhealthy: number;
  probes: number;
  slowestProbeMs: number;
}

const INTERVAL_MS = 1000;
const MEBIBYTE = 1024 ** 2;

/** Probes the server every second. Returns what it saw, and a function that ends it. */
export function watch(api: Api): { readonly watched: Watched; stop(): Promise<void> } {
  const watched: Watched = { storeMebibytes: 0, heapMebibytes: 0, unhealthy: 0, probes: 0, slowestProbeMs: 0 };
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    last = probe(api, watched);
  }, INTERVAL_MS);
  return {
    watched,
    stop: async () => {
      clearInterval(timer);
      await last;
    },
  };
}

async function probe(api: Api, watched: Watched): Promise<void> {
  const started = performance.now();
  const health = await api.get("/health").catch(() => undefined);
  watched.probes++;
  if (health?.status !== 200) watched.unhealthy++;
  watched.slowestProbeMs = Math.max(watched.slowestProbeMs, performance.now() - started);
  const metrics = await api.get("/metrics").catch(() => undefined);
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics?.text ?? "")?.[1] ?? 0);
  watched.storeMebibytes = Math.max(watched.storeMebibytes, read("rolltape_store_bytes") / MEBIBYTE);
  watched.heapMebibytes = Math.max(watched.heapMebibytes, read("rolltape_heap_bytes") / MEBIBYTE);
}

/** Largest resident memory of a process so far, in MiB; undefined if it has ended. */
export function readPeak(pid: number): number | undefined {
  try {
    return readMebibytes(pid, "VmHWM");
  } catch {
    return undefined;
  }
}
