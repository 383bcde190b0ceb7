import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The version of Node-API that the addon is compiled for. */
const NODE_API = 8;

// Ends with status 0 if the addon, the first argument, loads. Runs in a process of its own, because loading may crash it.
const LOAD = "process.dlopen({ exports: {} }, process.argv[1])";

/**
 * Returns the path of the prebuilt addon that this machine can load, or the reason why there is none.
 *
 * @param {string} root The package's folder.
 * @returns {{ path?: string, reason?: string }}
 */
export function findPrebuilt(root) {
  const target = `${process.platform}-${process.arch}`;
  const path = join(root, "prebuilds", target, "rolltape.node");
  if (!existsSync(path)) return { reason: `the package has none for ${target}` };
  // musl may load what was linked with glibc, and fail later.
  if (process.platform === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined)
    return { reason: "this system has no glibc (Alpine Linux, for example, has musl)" };
  if (Number(process.versions.napi) < NODE_API)
    return { reason: `Node ${process.version} has Node-API ${process.versions.napi}; ${NODE_API} is needed` };
  const { status, signal, stderr, error } = spawnSync(process.execPath, ["-e", LOAD, path], { encoding: "utf8" });
  if (status === 0) return { path };
  const line = /^Error: .+$/m.exec(stderr ?? "")?.[0];
  return { reason: `it does not load: ${line ?? error?.message ?? `status ${status}, signal ${signal}`}` };
}
