// Builds the addons of the npm package: prebuilds/<platform>-<arch>/rolltape.node. Needs Linux on x64 with cmake, make, g++ and
// g++-aarch64-linux-gnu. Prints what each addon needs of the machine that loads it, and fails if that is more than the
// documentation says.
// usage: node scripts/build-prebuilds.mjs [linux-x64 | linux-arm64]…   (default: both)
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkNeeds, readNeeds } from "./prebuilds/addon-needs.mjs";
import { DIGEST_FILE, digestSources } from "./prebuilds/sources.mjs";

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const TARGETS = {
  "linux-x64": { arch: "x64", machine: "Advanced Micro Devices X86-64", options: [] },
  "linux-arm64": {
    arch: "arm64",
    machine: "AArch64",
    options: [`--CDCMAKE_TOOLCHAIN_FILE=${join(root, "native", "prebuilt", "aarch64.cmake")}`],
  },
};

/** Compiles the addon of a target, and returns its path. CMake's files are kept, so that the next build is incremental. */
function compile(target) {
  const { arch, options } = TARGETS[target];
  const out = join(root, "build-prebuilds", target);
  const cmakeJs = createRequire(import.meta.url).resolve("cmake-js/bin/cmake-js");
  const common = ["--log-level", "warn", "--directory", root, "--parallel", process.env.ROLLTAPE_JOBS || "2"];
  const own = ["--out", out, "--arch", arch, "--CDROLLTAPE_PREBUILT=ON", ...options];
  const { status, error } = spawnSync(process.execPath, [cmakeJs, "compile", ...common, ...own], { stdio: "inherit" });
  if (error) throw error;
  if (status !== 0)
    throw new Error(
      `${target} does not compile; see above. Debian: apt-get install cmake make g++ g++-aarch64-linux-gnu`,
    );
  return join(out, "Release", "rolltape.node");
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TARGETS);
const unknown = chosen.filter((target) => !(target in TARGETS));
if (unknown.length > 0)
  throw new Error(`Unknown target ${unknown.join(", ")}; known: ${Object.keys(TARGETS).join(", ")}`);

// Before compiling, so that a source that changes meanwhile makes the addon stale.
const digest = digestSources(root);
for (const target of chosen) {
  const addon = compile(target);
  const needs = readNeeds(addon);
  const { bytes, machine, glibc, libraries } = needs;
  console.log(`${target}: ${bytes} bytes, ${machine}, highest symbol GLIBC_${glibc}, libraries ${libraries.join(" ")}`);
  const problems = checkNeeds(needs, TARGETS[target].machine);
  for (const problem of problems) console.error(`${target}: ${problem}`);
  if (problems.length > 0) {
    process.exitCode = 1;
    continue;
  }
  const kept = join(root, "prebuilds", target, "rolltape.node");
  mkdirSync(dirname(kept), { recursive: true });
  copyFileSync(addon, kept);
  writeFileSync(join(dirname(kept), DIGEST_FILE), `${digest}\n`);
}
