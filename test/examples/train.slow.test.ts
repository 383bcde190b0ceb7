import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PYTHON } from "../../scripts/run-python.js";
import { temporaryFolder } from "../cli/rolltape.js";

const DEMO = fileURLToPath(new URL("../../examples/train/main.ts", import.meta.url));
const TSX = createRequire(import.meta.url).resolve("tsx");

function runDemo(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, ...environment };
  return spawnSync(process.execPath, ["--import", TSX, DEMO, ...args], { encoding: "utf8", env });
}

const canTrain = spawnSync(PYTHON, ["-c", "import torch, transformers, httpx, numpy, matplotlib"]).status === 0;

describe("npm run demo:train", () => {
  it("says what to install if the interpreter lacks it", () => {
    const { status, stderr } = runDemo([], { PYTHON: "/bin/false" });
    expect(status).toBe(1);
    expect(stderr).toContain("/bin/false cannot import torch, transformers, httpx, numpy, matplotlib.");
    expect(stderr).toContain("pip install torch");
  });

  it("learns, and does not learn from shuffled rewards", { timeout: 600_000 }, ({ skip }) => {
    skip(!canTrain, "PyTorch, transformers, httpx and matplotlib are optional");
    const png = join(temporaryFolder(), "train.png");
    const { status, stdout, stderr } = runDemo(["--control", "--out", png]);
    if (status !== 0) throw new Error(stdout + stderr);
    expect(stdout.match(/^The policy has .*/gm)).toEqual([
      "The policy has learned.",
      expect.stringContaining("The policy has not learned"),
    ]);
    expect(readFileSync(png).subarray(1, 4).toString()).toBe("PNG");
  });
});
