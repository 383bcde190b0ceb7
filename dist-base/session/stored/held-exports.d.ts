import type { StoredLease } from "./session-records.js";
/** Returns true if the export is held: its sessions are kept until it is acknowledged or its lease ends. */
export declare function isHeld({ acknowledged, over }: StoredLease): boolean;
