import { EngineVision } from "../../test/helpers/engine-vision.js";
import { IMAGE_TOKEN } from "../../test/helpers/vision-files.js";
import { startVllmServer } from "../../test/helpers/vllm/vllm-server.js";

/** Ids of printable ASCII characters. */
const ANSWER = [70, 71, 72, 73, 74, 75, 76, 77];

/** Runs the vLLM test server in a separate process. It sees images, and keeps them as vLLM does. */
const server = await startVllmServer({
  vision: new EngineVision(IMAGE_TOKEN),
  contextLength: 1 << 20,
  complete: () => ANSWER,
});
console.log(JSON.stringify({ event: "ready", url: server.url }));
process.on("SIGTERM", () => void server.close());
