import { readFileSync } from "node:fs";

/** Returns true if a process has ended, also if its parent has not read its status yet. */
export function isGone(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return true;
  }
}
