import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const compiler = process.env["CXX"] ?? "c++";
const source = fileURLToPath(new URL("fake_cuda.cc", import.meta.url));
const headers = fileURLToPath(new URL("../../node_modules/node-api-headers/include", import.meta.url));

/** The file name of the driver. A library with this name that is already loaded is used instead. */
const SONAME = "libcuda.so.1";

export const canFake = process.platform === "linux" && spawnSync(compiler, ["--version"]).status === 0;

/** The exported names of the driver functions that the addon needs. */
export const DRIVER_FUNCTIONS: readonly string[] = [
  ...new Set(readFileSync(source, "utf8").match(/(?<=^int )cu\w+/gm)),
];

export interface DriverUse {
  readonly contexts: number;
  readonly allocated: number;
  readonly registered: number;
  readonly threadsInContext: number;
}

export interface FakeCuda {
  /** Makes the named function return this CUresult; 0: it works. "devices" other than 0: there is no device. */
  fail(name: string, result: number): void;
  use(): DriverUse;
}

/** Builds the fake driver in a new folder. */
export function buildFakeCuda(): string {
  const folder = mkdtempSync(join(tmpdir(), "rolltape-"));
  const options = ["-std=c++20", "-shared", "-fPIC", "-I", headers, `-Wl,-soname,${SONAME}`];
  execFileSync(compiler, [...options, source, "-o", join(folder, SONAME)]);
  return folder;
}

/** Builds a copy of the driver without one function. Returns its folder, which is removed when the test ends. */
export function withoutFunction(folder: string, name: string): string {
  const copy = mkdtempSync(join(tmpdir(), "rolltape-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  const library = readFileSync(join(folder, SONAME), "latin1");
  const renamed = library.replaceAll(`\0${name}\0`, `\0${name.toUpperCase()}\0`);
  writeFileSync(join(copy, SONAME), renamed, "latin1");
  return copy;
}

/** Loads the driver into this process, before the addon needs it. */
export function loadFakeCuda(folder: string): FakeCuda {
  const loaded = { exports: {} };
  process.dlopen(loaded, join(folder, SONAME));
  return loaded.exports as FakeCuda;
}
