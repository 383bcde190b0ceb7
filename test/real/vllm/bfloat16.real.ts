import { afterAll, describe } from "vitest";
import { testParity } from "../support/parity.js";
import { type EngineServer, startEngineServer } from "../support/real-engine.js";
import { SETTINGS } from "../support/settings.js";

let server: EngineServer | undefined;
const open = async () => {
  server = await startEngineServer("vllm", { flags: ["--dtype", "bfloat16"] });
  return server;
};
afterAll(async () => {
  await server?.stop();
});

describe("a server that computes in bfloat16, vLLM's default for most models", () => {
  const settings = SETTINGS.filter(({ name }) => name === "temperature 1" || name === "temperature 0.3");
  testParity({ engine: "vllm", open, settings, tolerance: 0.2 });
});
