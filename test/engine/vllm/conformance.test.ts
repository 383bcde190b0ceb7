import { createVllmEngine } from "../../../src/engine/vllm/create-vllm-engine.js";
import { startVllmServer, type VllmServerOptions } from "../../helpers/vllm/vllm-server.js";
import { describeEngine } from "../conformance.js";

const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 500 }, (_, index) => 3 + ((inputLength + index) % 300));

async function start(options: VllmServerOptions) {
  const server = await startVllmServer({ contextLength: 600, complete, ...options });
  const slowServer = await startVllmServer({ complete, tokenMilliseconds: 5, ...options });
  const common = { timeoutSeconds: 0, maxInflight: 64 };
  const engine = createVllmEngine({ ...common, urls: [server.url] });
  const slow = createVllmEngine({ ...common, urls: [slowServer.url] });
  const stop = async () => {
    await Promise.all([engine.close(), slow.close()]);
    await Promise.all([server.close(), slowServer.close()]);
  };
  return { engine, slow, slowTokens: () => slowServer.scheduler.pendingTokens, contextLength: 600, stop };
}

const servers: [string, VllmServerOptions][] = [
  ["vllm generate", { logprobShape: "token_ids", weightVersionSpans: true }],
  ["vllm generate, older builds", { logprobShape: "token_names" }],
  ["vllm completions", { scaleOut: false }],
];
for (const [name, options] of servers) {
  describeEngine("vllm", () => start(options), { name });
  describeEngine("vllm", () => start({ ...options, streamInterval: 2, pieceBytes: 131 }), {
    name: `${name}, streamed`,
    streams: true,
  });
}
