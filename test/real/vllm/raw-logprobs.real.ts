import { afterAll, describe } from "vitest";
import { testParity } from "../support/parity.js";
import { type EngineServer, startEngineServer } from "../support/real-engine.js";
import { SETTINGS } from "../support/settings.js";

/** A server as `vllm serve MODEL` starts it: log probabilities before sampling, and no `/inference/v1/generate`. */
let server: EngineServer | undefined;
const open = async () => {
  server = await startEngineServer("vllm", { without: ["--enable-scale-out", "--logprobs-mode"] });
  return server;
};
afterAll(async () => {
  await server?.stop();
});

describe("a server without --logprobs-mode and --enable-scale-out", () => {
  testParity({ engine: "vllm", open, settings: SETTINGS });
});
