import { execFileSync } from "node:child_process";

/** Makes the kernel forget the content of a file that no process has open, so that it is read from the disk again. */
export function dropFromCache(file: string): void {
  execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}
