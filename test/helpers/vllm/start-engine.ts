import { onTestFinished } from "vitest";
import type { Engine } from "../../../src/engine/engine.js";
import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import type { VllmOptions } from "../../../src/engine/vllm/vllm-options.js";
import { startVllmServer, type VllmServer, type VllmServerOptions } from "./vllm-server.js";

/** Starts a server and an engine that calls it. Both are closed when the test has ended. */
export async function startVllmEngine(
  options: VllmServerOptions = {},
  engineOptions: Partial<VllmOptions> = {},
): Promise<{ server: VllmServer; engine: Engine }> {
  const server = await startVllmServer(options);
  const engine = createVllmEngine({ urls: [server.url], timeoutSeconds: 0, maxInflight: 8, ...engineOptions });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
  });
  return { server, engine };
}
