import { inventedCompletion, startSglangServer } from "../../test/helpers/sglang/sglang-server.js";

/** The SGLang test server in a process of its own, answering 128 tokens at once whatever the prompt. */
const server = await startSglangServer({
  fast: true,
  contextLength: 1 << 20,
  complete: (request) => inventedCompletion(request, 128),
});
console.log(JSON.stringify({ event: "ready", url: server.url }));
process.on("SIGTERM", () => void server.close());
