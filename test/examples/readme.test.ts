import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { readSafetensors } from "../helpers/safetensors.js";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

/** The first shell block of a section. */
function shellBlock(heading: string): string {
  const [, section = ""] = README.split(`\n## ${heading}\n`);
  return /```sh\n([^]*?)```/.exec(section)?.[1] ?? "";
}

it("has a rollout that can be pasted into an empty folder: agent, tasks, job and inspection", async () => {
  const cwd = temporaryFolder();
  const npx = `set -e\nnpx() { shift; "${process.execPath}" "${MAIN}" "$@"; }\n`;
  const { stdout } = await promisify(execFile)("bash", ["-c", npx + shellBlock("Whole rollouts")], { cwd });
  expect(stdout).toMatch(/^rows +8$/m);
  const { metadata } = readSafetensors(readFileSync(join(cwd, "batch.safetensors")));
  expect(JSON.parse(metadata["rows"] ?? "")).toHaveLength(8);
}, 60_000);
