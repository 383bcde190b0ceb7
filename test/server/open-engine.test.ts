import { expect, it } from "vitest";
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
