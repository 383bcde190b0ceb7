import { inventedCompletion, startSglangServer } from "../../test/helpers/sglang/sglang-server.js";

/** Runs the SGLang test server in a separate process. It answers every prompt immediately, with 128 tokens. */
const server = await startSglangServer({
  fast: true,
  contextLength: 1 << 20,
  complete: (request) => inventedCompletion(request, 128),
});
console.log(JSON.stringify({ event: "ready", url: server.url }));
process.on("SIGTERM", () => void server.close());
