import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";

const MAX_JOBS = 8;
const TOOLS = ["cmake-js", "node-addon-api", "node-api-headers"];
const CMAKE_JS = "cmake-js/bin/cmake-js";
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
  const tools = findTools(root, out);
  if (tools === undefined) return 1;
  const compile = ["compile", "--log-level", "warn", "--directory", root, "--out", out, "--parallel", jobs];
  const { status, error } = spawnSync(process.execPath, [tools.cmakeJs, ...compile], {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, ...tools.environment },
  });
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

/**
 * Returns the path of cmake-js, and the variables with which it finds node-addon-api. Undefined if they cannot be had.
 *
 * They bring forty packages, which a package with a fitting addon never needs. So a checkout has them as development
 * dependencies, and an installed package fetches them with npm, in the same versions, to compile once.
 *
 * @param {string} root The package's folder.
 * @param {string} out Folder that is removed after an installed package was compiled.
 */
function findTools(root, out) {
  const resolve = (folder) => createRequire(join(folder, "package.json")).resolve(CMAKE_JS);
  try {
    return { cmakeJs: resolve(root), environment: {} };
  } catch {
    // Not installed: fetched below.
  }
  const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const packages = TOOLS.map((name) => `${name}@${devDependencies[name]}`);
  const folder = join(out, "tools");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), "{}");
  const words = [
    "install",
    "--prefix",
    folder,
    "--global=false",
    "--no-audit",
    "--no-fund",
    "--ignore-scripts",
    ...packages,
  ];
  // pnpm and yarn set the variable to themselves.
  const own = process.env.npm_execpath ?? "";
  const npm = own.endsWith("npm-cli.js") ? [process.execPath, own] : ["npm"];
  const { status } = spawnSync(npm[0], [...npm.slice(1), ...words], { cwd: folder, stdio: ["ignore", 2, 2] });
  if (status === 0) {
    const modules = join(folder, "node_modules");
    return { cmakeJs: resolve(folder), environment: { NODE_PATH: modules } };
  }
  console.error(
    `rolltape: compiling the native addon needs ${TOOLS.join(", ")}, and npm could not install them. Add them to your project ` +
      `(npm install ${packages.join(" ")}), then install rolltape again.`,
  );
  return undefined;
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
