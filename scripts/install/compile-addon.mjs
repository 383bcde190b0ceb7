import { spawnSync } from "node:child_process";
import { mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";

const MAX_JOBS = 8;
const ADDON = join("Release", "rolltape.node");

/**
 * Compiles the addon to build/Release/rolltape.node with cmake-js, and returns an exit status.
 *
 * A checkout keeps its build folder, so that the next build is incremental. An installed package is built once, so only the
 * addon stays: what CMake leaves beside it is more than a hundred times as large. ROLLTAPE_JOBS sets how many compilers run at
 * once; a C++ compiler takes up to half a gigabyte of memory.
 *
 * @param {string} root The package's folder.
 * @param {boolean} isCheckout
 */
export function compileAddon(root, isCheckout) {
  const missing = findMissingTools();
  if (missing.length > 0) {
    console.error(
      `rolltape: compiling the native addon needs ${missing.join(" and ")}, not found on PATH. Install cmake, make and a C++20 ` +
        "compiler (Debian, Ubuntu: apt-get install cmake make g++; Fedora: dnf install cmake make gcc-c++; " +
        "Alpine: apk add cmake make g++ linux-headers), then install rolltape again.",
    );
    return 1;
  }
  const kept = join(root, "build");
  const out = isCheckout ? kept : join(root, "build-install");
  const jobs = process.env.ROLLTAPE_JOBS || String(Math.min(availableParallelism(), MAX_JOBS));
  const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");
  const compile = ["compile", "--log-level", "warn", "--directory", root, "--out", out, "--parallel", jobs];
  const { status, error } = spawnSync(process.execPath, [cmakeJs, ...compile], { cwd: root, stdio: "inherit" });
  if (error) throw error;
  if (!isCheckout) {
    if (status === 0) {
      mkdirSync(dirname(join(kept, ADDON)), { recursive: true });
      renameSync(join(out, ADDON), join(kept, ADDON));
    }
    rmSync(out, { recursive: true, force: true });
  }
  return status ?? 1;
}

/** CMake finds compilers by more names and variables; a compiler that it does not find, it reports itself. */
function findMissingTools() {
  const runs = (command) => spawnSync(command, ["--version"], { stdio: "ignore" }).error === undefined;
  const missing = [];
  if (!runs("cmake")) missing.push("cmake");
  if (!["make", "gmake", "ninja"].some(runs)) missing.push("make (or ninja)");
  if (process.env.CXX === undefined && !["c++", "g++", "clang++"].some(runs)) missing.push("a C++ compiler");
  return missing;
}
