import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AGENT, rolloutJob, TIMES } from "../../cli/rollout/rollout-job.js";
import { runRolltape } from "../../cli/rolltape.js";

/** Files that hold prompts or answers. */
const PRIVATE = /\.(safetensors|jsonl|index|sessions)$/;
const METRICS = /\.metrics\.jsonl$/;

async function run(more: readonly string[], prepare: (out: string) => void = () => undefined) {
  const { out, args } = rolloutJob([{ question: "why?", reward: 1 }, { question: "fail" }]);
  prepare(out);
  const options = ["--agent", AGENT, "--sessions", `${out}.sessions`, "rollout.max_failures=1"];
  expect(await runRolltape([...args, ...options, ...more])).toMatchObject({ code: 0 });
  const folder = dirname(out);
  const files = readdirSync(folder).filter((name) => PRIVATE.test(name) && !METRICS.test(name));
  expect(files.toSorted()).toEqual([
    "batch.safetensors",
    "batch.safetensors.errors.jsonl",
    "batch.safetensors.jsonl",
    "batch.safetensors.jsonl.index",
    "batch.safetensors.sessions",
  ]);
  return { folder: modeOf(folder), files: [...new Set(files.map((name) => modeOf(join(folder, name))))] };
}

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("what a job writes", TIMES, () => {
  it("can be read by its owner only", async () => {
    expect(await run([])).toEqual({ folder: "700", files: ["600"] });
  });

  it("can be read by its group with rollout.group_readable", async () => {
    expect(await run(["rollout.group_readable=true"])).toEqual({ folder: "750", files: ["640"] });
  });

  it("keeps the permissions of an existing folder", async () => {
    const prepare = (out: string) => {
      mkdirSync(dirname(out));
      chmodSync(dirname(out), 0o755);
    };
    expect(await run([], prepare)).toEqual({ folder: "755", files: ["600"] });
  });
});
