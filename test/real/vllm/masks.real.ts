import { afterAll } from "vitest";
import { testMasks } from "../support/masks.js";
import { type EngineServer, startEngineServer, V2_RUNNER } from "../support/real-engine.js";

/** The sampling masks of an unmodified vLLM with `--return-sampling-mask`. */

let server: EngineServer | undefined;

testMasks({
  engine: "vllm",
  open: async () => {
    server = await startEngineServer("vllm", { ...V2_RUNNER, flags: [...V2_RUNNER.flags, "--return-sampling-mask"] });
    return server;
  },
});

afterAll(() => server?.stop());
