import { freemem } from "node:os";

/** Share of the available memory that a second context may take. */
const USABLE_SHARE = 0.8;

/** Returns true if `bytes` more fit into memory. Memory that the system uses to cache files counts as available. */
export function hasMemoryFor(bytes: number): boolean {
  // A container can allow less than the machine has.
  const available = Math.min(process.availableMemory(), freemem());
  return bytes <= USABLE_SHARE * available;
}
