import { freemem } from "node:os";
/** Share of the available memory that a second context may take. */
const USABLE_SHARE = 0.8;
/** Returns true if `bytes` more fit into memory. Memory that the system uses to cache files counts as available. */
export function hasMemoryFor(bytes) {
    // A container can allow less than the machine has. Node reports its limit since 20.13.
    const available = Math.min(process.availableMemory?.() ?? Number.POSITIVE_INFINITY, freemem());
    return bytes <= USABLE_SHARE * available;
}
//# sourceMappingURL=free-memory.js.map