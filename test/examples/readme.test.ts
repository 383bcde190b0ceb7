import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "../cli/rolltape.js";
import { readSafetensors } from "../helpers/safetensors.js";
import { paste, shellBlock } from "./shell-block.js";

it("has a rollout that can be pasted into an empty folder: agent, tasks, job and inspection", async () => {
  const cwd = temporaryFolder();
  const { stdout } = await paste(shellBlock("README.md", "The shortest agent"), cwd);
  expect(stdout).toMatch(/^rows +8$/m);
  const { metadata, tensors } = readSafetensors(readFileSync(join(cwd, "try", "batch.safetensors")));
  expect(JSON.parse(metadata["rows"] ?? "")).toHaveLength(8);
  // Equal rewards would give the trainer of docs/guides/start.md no advantages.
  expect(new Set(tensors["rewards"]?.data).size).toBeGreaterThan(1);
}, 120_000);

it("has fewer than 120 lines", () => {
  const lines = readFileSync(new URL("../../README.md", import.meta.url), "utf8").split("\n");
  expect(lines.length - 1).toBeLessThan(120);
});
