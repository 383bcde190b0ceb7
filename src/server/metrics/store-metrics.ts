import type { Registry } from "prom-client";
import { addGauge } from "../../http/metrics/add-gauge.js";
import type { MemoryBudget } from "../limits/memory-budget.js";

/** Adds gauges of the memory that sessions and JavaScript objects use, and of their limits. */
export function observeStore(
  store: Pick<MemoryBudget, "bytes" | "limit" | "heapBytes" | "heapLimit">,
  register: Registry,
): void {
  const add = (name: string, help: string, read: () => number): void => addGauge(register, name, help, read);
  add(
    "rolltape_store_bytes",
    "Memory of sessions, remembered requests, batches in shared memory and calls in flight, in bytes.",
    () => store.bytes,
  );
  add("rolltape_store_limit_bytes", "Memory beyond which model calls are refused, in bytes.", () => store.limit);
  add("rolltape_heap_bytes", "Memory of JavaScript objects, in bytes.", () => store.heapBytes);
  add(
    "rolltape_heap_limit_bytes",
    "Memory of JavaScript objects beyond which model calls are refused, in bytes.",
    () => store.heapLimit,
  );
}
