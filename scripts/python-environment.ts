import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

/** The Python and the packages of a virtual environment. */
export interface PythonEnvironment {
  /** Versions that the packages support, the preferred one first. */
  readonly python: readonly string[];
  /** Requirements of pip. */
  readonly packages: readonly string[];
  /** Packages that are installed without their dependencies, which need a GPU or a compiler. */
  readonly alone?: readonly string[];
  /** Release of Python that packages are chosen for, if they require a later one than most machines have. */
  readonly release?: string;
}

/** A virtual environment on this machine. */
export interface InstalledEnvironment {
  readonly folder: string;
  readonly python: string;
  /** `PATH` with the environment's own programs first. */
  readonly path: string;
}

const CACHE = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "rolltape");

/**
 * Installs packages from PyPI in a virtual environment of the user's cache folder, unless they are there. A changed list
 * makes another environment.
 *
 * @returns undefined if none of the Python versions is installed
 */
export function installEnvironment(name: string, environment: PythonEnvironment): InstalledEnvironment | undefined {
  const python = findPython(environment.python);
  if (python === undefined) return undefined;
  const { packages, alone = [], release } = environment;
  const hash = createHash("sha256")
    .update(JSON.stringify([python, packages, alone, release]))
    .digest("hex");
  const folder = join(CACHE, `${name}-${hash.slice(0, 12)}`);
  if (!existsSync(join(folder, "complete"))) fillFolder(folder, python, environment);
  const bin = join(folder, "bin");
  return { folder, python: join(bin, "python"), path: bin + delimiter + (process.env["PATH"] ?? "") };
}

function fillFolder(folder: string, python: string, { packages, alone = [], release }: PythonEnvironment): void {
  const uv = installUv(python);
  rmSync(folder, { recursive: true, force: true });
  run(uv, "venv", "--quiet", "--python", python, folder);
  const install = ["pip", "install", "--quiet", "--compile-bytecode", "--python", folder];
  if (release) install.push("--python-version", release);
  run(uv, ...install, ...packages);
  if (alone.length > 0) run(uv, ...install, "--no-deps", ...alone);
  writeFileSync(join(folder, "complete"), "");
}

/** uv installs PyTorch in seconds where pip takes minutes. */
function installUv(python: string): string {
  const folder = join(CACHE, "uv");
  const uv = join(folder, "bin/uv");
  if (existsSync(uv)) return uv;
  run(python, "-m", "venv", folder);
  run(join(folder, "bin/python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "uv");
  return uv;
}

function run(file: string, ...args: string[]): void {
  execFileSync(file, args, { stdio: ["ignore", "inherit", "inherit"] });
}

/** Returns the path of an interpreter of one of these versions: on the search path, of pyenv, or of uv. */
function findPython(versions: readonly string[]): string | undefined {
  const candidates = versions.flatMap((version) => [`python${version}`, ...pyenvPythons(version), uvPython(version)]);
  for (const candidate of candidates) {
    if (candidate === undefined) continue;
    const found = spawnSync(candidate, ["-c", "import sys, venv; print(sys.executable)"], { encoding: "utf8" });
    if (found.status === 0) return found.stdout.trim();
  }
  return undefined;
}

function pyenvPythons(version: string): string[] {
  const folder = join(process.env["PYENV_ROOT"] || join(homedir(), ".pyenv"), "versions");
  const installed = existsSync(folder) ? readdirSync(folder) : [];
  return installed.filter((each) => each.startsWith(`${version}.`)).map((each) => join(folder, each, "bin/python"));
}

function uvPython(version: string): string | undefined {
  const found = spawnSync("uv", ["python", "find", version], { encoding: "utf8" });
  return found.status === 0 ? found.stdout.trim() : undefined;
}
