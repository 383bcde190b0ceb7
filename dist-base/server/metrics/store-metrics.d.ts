import type { Registry } from "prom-client";
import type { Store } from "../limits/store.js";
/** Adds gauges of the memory that sessions and JavaScript objects use, and of their limits. */
export declare function observeStore(store: Pick<Store, "bytes" | "limit" | "heapBytes" | "heapLimit">, register: Registry): void;
