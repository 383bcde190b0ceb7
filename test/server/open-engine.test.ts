import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { resolveConfig } from "../../src/config/index.js";
import { ensureTinyModel } from "../../src/engine/index.js";
import { openEngine } from "../../src/server/open-engine.js";

it("ends the threads of the model if the engine cannot be opened", async () => {
  const { folder } = await ensureTinyModel();
  const countThreads = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
  const before = countThreads();
  const overrides = ["engine.model=/nowhere/model.gguf", `model.path=${folder}`];
  await expect(openEngine(resolveConfig({ overrides }))).rejects.toThrow("/nowhere/model.gguf cannot be loaded");
  expect(countThreads()).toBe(before);
});

it.each([
  ["a model without experts", ["engine.type=vllm"], {}, "requires a mixture-of-experts model"],
  [
    "too many experts",
    ["engine.type=sglang"],
    { num_experts: 70_000 },
    "3 layers with 2 of 70000 experts are too many",
  ],
  ["items over 64 KiB", ["engine.type=sglang"], { num_experts: 300, num_hidden_layers: 17_000 }, "are too many"],
])("refuses routed experts of %s", async (_, overrides, fields, message) => {
  const { folder } = await ensureTinyModel();
  const copy = mkdtempSync(join(tmpdir(), "rolltape-experts-"));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  cpSync(folder, copy, { recursive: true });
  const experts = Object.keys(fields).length > 0 ? { num_hidden_layers: 3, num_experts_per_tok: 2, ...fields } : {};
  const config = { ...JSON.parse(readFileSync(join(copy, "config.json"), "utf8")), ...experts };
  writeFileSync(join(copy, "config.json"), JSON.stringify(config));
  const keys = [...overrides, "engine.urls=http://127.0.0.1:1", "engine.routed_experts=true", `model.path=${copy}`];
  await expect(openEngine(resolveConfig({ overrides: keys }))).rejects.toThrow(message);
});

it("refuses routed experts of the embedded engine", async () => {
  const config = resolveConfig({ overrides: ["engine.routed_experts=true"] });
  await expect(openEngine(config)).rejects.toThrow("the embedded engine has none");
});
