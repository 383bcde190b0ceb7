import { createSglangEngine } from "../../../src/engine/sglang/create-sglang-engine.js";
import { type SglangServerOptions, startSglangServer } from "../../helpers/sglang/sglang-server.js";
import { describeEngine } from "../conformance.js";

const complete = ({ inputLength }: { inputLength: number }) =>
  Array.from({ length: 500 }, (_, index) => 3 + ((inputLength + index) % 300));

async function start(options: SglangServerOptions = {}) {
  const server = await startSglangServer({ contextLength: 606, complete, ...options });
  const slowServer = await startSglangServer({ complete, tokenMilliseconds: 5, ...options });
  const common = { timeoutSeconds: 0, maxInflight: 64 };
  const engine = createSglangEngine({ ...common, urls: [server.url] });
  const slow = createSglangEngine({ ...common, urls: [slowServer.url] });
  const stop = async () => {
    await Promise.all([engine.close(), slow.close()]);
    await Promise.all([server.close(), slowServer.close()]);
  };
  return { engine, slow, slowTokens: () => slowServer.scheduler.pendingTokens, contextLength: 600, stop };
}

describeEngine("sglang", () => start(), { name: "sglang" });
describeEngine("sglang", () => start(), { name: "sglang with cumulative streams", streams: true });
describeEngine("sglang", () => start({ incremental: true, streamInterval: 3 }), {
  name: "sglang with incremental streams",
  streams: true,
});
describeEngine("sglang", () => start({ pieceBytes: 97 }), { name: "sglang over small packets", streams: true });
