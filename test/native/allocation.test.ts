import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import type { Outcome } from "./failing-calls.js";

const run = promisify(execFile);
const compiler = process.env["CXX"] ?? "c++";
const canPreload = process.platform === "linux" && spawnSync(compiler, ["--version"]).status === 0;
// A sanitizer has its own operator new, which failing_new.cc cannot replace.
const sanitized = (process.env["LD_PRELOAD"] ?? "").includes("san");

const pathTo = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

async function buildAllocator(folder: string): Promise<string> {
  const library = join(folder, "failing_new.node");
  const headers = pathTo("../../node_modules/node-api-headers/include");
  const options = ["-std=c++20", "-O1", "-shared", "-fPIC", "-I", headers];
  await run(compiler, [...options, pathTo("failing_new.cc"), "-o", library]);
  return library;
}

/** Calls that allocate only memory of the JavaScript engine. */
const FREE_CALLS = ["findParent", "findParent, call ids", "interaction", "serialize", "setReward", "setSessionReward"];

it.runIf(canPreload && !sanitized)(
  "whichever allocation of a native call fails, it answers ERR_OUT_OF_MEMORY and changes nothing",
  { timeout: 60_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "rolltape-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const allocator = await buildAllocator(folder);
    const addon = realpathSync(process.env["ROLLTAPE_ADDON_PATH"] || pathTo("../../build/Release/rolltape.node"));
    const program = [pathTo("failing-calls.ts"), allocator, addon, folder];
    const { stdout } = await run(process.execPath, ["--import", "tsx", ...program], {
      env: { ...process.env, LD_PRELOAD: allocator, ROLLTAPE_ADDON_PATH: addon },
    });
    const outcomes = Object.entries(JSON.parse(stdout) as Record<string, Outcome>);
    expect(outcomes.length).toBeGreaterThan(30);
    for (const [call, { failures, codes }] of outcomes) {
      const needsMemory = !FREE_CALLS.includes(call);
      expect([call, failures > 0, codes]).toEqual([call, needsMemory, needsMemory ? ["ERR_OUT_OF_MEMORY"] : []]);
    }
  },
);
