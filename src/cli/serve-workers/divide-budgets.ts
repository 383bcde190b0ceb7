import { getHeapStatistics } from "node:v8";
import type { Config } from "../../config/index.js";
import { availableMemory, chooseStoreBytes } from "../../server/limits/configured-limits.js";
import { readYoungGeneration, SEMI_SPACES, type YoungGeneration } from "../../server/limits/young-generation.js";

const MEBIBYTE = 1024 ** 2;
/** Size of a semi-space if the young generation would take more than {@link YOUNG_SHARE} of a worker's heap, as it can in Node 24. */
const SMALL_SEMI_SPACE_MEBIBYTES = 16;
const YOUNG_SHARE = 0.25;
const HEAP_SHARE = 0.5;
/** The least memory for old objects, whatever the young generation takes. */
const MIN_OLD_BYTES = 208 * MEBIBYTE;
const HEAP_OPTION = /--max[-_]old[-_]space[-_]size/;

/**
 * The least of each budget that a worker can work with. A worker's share is at least this. If the budget of the whole command is
 * smaller, each worker gets all of it.
 */
const LEAST = {
  storeBytes: 64 * MEBIBYTE,
  knownRequestBytes: 16 * MEBIBYTE,
  storedMemoryBytes: 16 * MEBIBYTE,
  sharedMemoryBytes: 64 * MEBIBYTE,
  connections: 64,
  inflight: 1,
} as const;
/** Bodies of the largest size that a worker receives at once, so that one client cannot keep out the others. */
const LEAST_BODIES = 4;

/** Budgets that the workers of one command share. */
export interface Machine {
  /** Memory that the command may use. */
  readonly memoryBytes: number;
  /** V8's limit of the heap of one process. */
  readonly heapBytes: number;
  /** The part of `heapBytes` beyond `--max-old-space-size`. */
  readonly young: YoungGeneration;
  readonly nodeOptions: string;
}

/** The part of one worker. */
export interface WorkerBudgets {
  /** Configuration keys with their values for one worker. */
  readonly keys: Readonly<Record<string, number>> & { readonly "server.body_bytes_in_flight": number };
  readonly nodeArguments: readonly string[];
}

export function readMachine(env: NodeJS.ProcessEnv = process.env): Machine {
  const { heap_size_limit: heapBytes } = getHeapStatistics();
  const nodeOptions = env["NODE_OPTIONS"] ?? "";
  // Workers get these options, but not those of this command's own Node.
  const young = readYoungGeneration(process.versions.v8, nodeOptions);
  return { memoryBytes: availableMemory(), heapBytes, young, nodeOptions };
}

/** Divides memory, connections and calls at the engine among `workers`. Limits of one session or one request stay as they are. */
export function divideBudgets(config: Config, workers: number, machine: Machine = readMachine()): WorkerBudgets {
  const { server, storage, engine, rollout } = config;
  const share = (total: number, least: number) => Math.max(Math.ceil(total / workers), Math.min(total, least));
  const heap = divideHeap(machine, workers);
  const bodyBytes = share(server.body_bytes_in_flight, LEAST_BODIES * server.max_body_bytes);
  const storeBytes =
    server.store_bytes === null
      ? Math.max(LEAST.storeBytes, chooseStoreBytes(machine.memoryBytes / workers, bodyBytes, heap.bytes))
      : share(server.store_bytes, LEAST.storeBytes);
  const keys = {
    "server.store_bytes": storeBytes,
    "server.known_request_bytes": share(server.known_request_bytes, LEAST.knownRequestBytes),
    "server.body_bytes_in_flight": bodyBytes,
    "server.max_connections": share(server.max_connections, LEAST.connections),
    "engine.max_inflight": share(engine.max_inflight, LEAST.inflight),
    "server.shared_memory_bytes": share(server.shared_memory_bytes, LEAST.sharedMemoryBytes),
    "rollout.agent.export_retention_bytes": Math.ceil(rollout.agent.export_retention_bytes / workers),
    // Without an archive, workers refuse the key.
    ...(storage.archive === null
      ? {}
      : { "storage.archive_backlog_bytes": Math.ceil(storage.archive_backlog_bytes / workers) }),
    // Null: the worker takes half of its `store_bytes`.
    ...(storage.memory_bytes === null
      ? {}
      : { "storage.memory_bytes": share(storage.memory_bytes, LEAST.storedMemoryBytes) }),
  };
  return { keys, nodeArguments: heap.nodeArguments };
}

/** V8 lets one process use up to 4 GiB, so many workers would take more than the machine has. */
function divideHeap({ memoryBytes, heapBytes, young, nodeOptions }: Machine, workers: number) {
  // Node passes it on to the workers.
  if (HEAP_OPTION.test(nodeOptions)) return { bytes: heapBytes, nodeArguments: [] };
  const part = (HEAP_SHARE * memoryBytes) / workers;
  const reducesYoung = young.bytes > YOUNG_SHARE * Math.max(part, MIN_OLD_BYTES) && !young.isChosen;
  const youngBytes = reducesYoung ? SEMI_SPACES * SMALL_SEMI_SPACE_MEBIBYTES * MEBIBYTE : young.bytes;
  const oldBytes = Math.min(heapBytes - young.bytes, Math.max(MIN_OLD_BYTES, part - youngBytes));
  const semiSpace = reducesYoung ? [`--max-semi-space-size=${SMALL_SEMI_SPACE_MEBIBYTES}`] : [];
  return {
    bytes: oldBytes + youngBytes,
    nodeArguments: [`--max-old-space-size=${Math.max(1, Math.floor(oldBytes / MEBIBYTE))}`, ...semiSpace],
  };
}
