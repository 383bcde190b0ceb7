import type { StoredLease } from "./session-records.js";

/** Returns true if the export is held: it is not acknowledged, and its sessions are kept until it is, or until its lease ends. */
export function isHeld({ acknowledged, over }: StoredLease): boolean {
  return !acknowledged && !over;
}
