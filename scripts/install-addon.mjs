// The package's install script: compiles the addon to build/Release/rolltape.node with cmake-js.
// A checkout keeps its build folder, so that the next build is incremental. An installed package is built once, so only
// the addon stays: what CMake leaves beside it is more than a hundred times as large.
// ROLLTAPE_JOBS sets how many compilers run at once; a C++ compiler takes up to half a gigabyte of memory.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MAX_JOBS = 8;
const ADDON = join("Release", "rolltape.node");

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const kept = join(root, "build");
// Packages leave the tests out: see `files` in package.json.
const isCheckout = existsSync(join(root, "native", "test"));
const out = isCheckout ? kept : join(root, "build-install");

const jobs = process.env.ROLLTAPE_JOBS || String(Math.min(availableParallelism(), MAX_JOBS));
const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");
const compile = ["compile", "--log-level", "warn", "--directory", root, "--out", out, "--parallel", jobs];
const { status, error } = spawnSync(process.execPath, [cmakeJs, ...compile], { cwd: root, stdio: "inherit" });
if (error) throw error;
process.exitCode = status ?? 1;

if (!isCheckout) {
  if (status === 0) {
    mkdirSync(dirname(join(kept, ADDON)), { recursive: true });
    renameSync(join(out, ADDON), join(kept, ADDON));
  }
  rmSync(out, { recursive: true, force: true });
}
