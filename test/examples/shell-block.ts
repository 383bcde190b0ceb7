import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Returns the first shell block under a heading `## …` of a page. The path is relative to the repository root. */
export function shellBlock(path: string, heading: string): string {
  const page = readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
  const [, section] = page.split(`\n## ${heading}\n`);
  const block = /```sh\n([^]*?)```/.exec(section ?? "")?.[1];
  if (block === undefined) throw new Error(`${path} has no shell block under the heading ${heading}`);
  return block;
}

/** Runs a block like a reader who pastes it into bash. `npx rolltape` runs the compiled command line of this repository. */
export function paste(block: string, cwd: string): Promise<{ readonly stdout: string }> {
  const npx = `set -e\nnpx() { shift; "${process.execPath}" "${MAIN}" "$@"; }\n`;
  return promisify(execFile)("bash", ["-c", npx + block], { cwd });
}
