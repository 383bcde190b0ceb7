import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../../../../src/support/cache-folder.js";

const VERSION = "2.21.0";

/** Prints the scalars of a log directory: [step, value] by name. */
const READ = `
import json, sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
events = EventAccumulator(sys.argv[1]).Reload()
print(json.dumps({tag: [[e.step, e.value] for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}))
`;

/**
 * Returns a Python with TensorBoard, in a virtual environment in the cache folder. The first call installs it from PyPI with uv, which
 * takes seconds.
 *
 * @returns undefined without uv, Python or PyPI
 */
export function installTensorBoard(): string | undefined {
  const folder = join(cacheFolder(), `tensorboard-${VERSION}`);
  const [python, complete] = [join(folder, "bin", "python"), join(folder, "complete")];
  if (existsSync(complete)) return python;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(cacheFolder(), { recursive: true });
  const install = ["pip", "install", "--quiet", "--python", python, `tensorboard==${VERSION}`, "setuptools<81"];
  const isInstalled = [["venv", "--quiet", folder], install].every(
    (args) => spawnSync("uv", args, { stdio: "ignore", timeout: 120_000 }).status === 0,
  );
  if (!isInstalled) return undefined;
  writeFileSync(complete, "");
  return python;
}

export function readTensorBoard(python: string, folder: string): Record<string, [step: number, value: number][]> {
  const { status, stdout, stderr } = spawnSync(python, ["-c", READ, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Record<string, [number, number][]>;
}
