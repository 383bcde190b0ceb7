// A program that serves an engine for tests, as `--engine-command` starts it. Writes the paths of its requests to LOG when it ends.
// Usage: sglang-engine.ts PORT LOG
import { appendFileSync } from "node:fs";
import { startSglangServer } from "../../../helpers/sglang/sglang-server.js";

const [port = "0", log = ""] = process.argv.slice(2);
const server = await startSglangServer({ port: Number(port) });
process.on("SIGTERM", () => {
  const generations = server.to("/generate").length;
  const loads = server.to("/update_weights_from_disk").map(({ json }) => json["model_path"]);
  appendFileSync(log, `${JSON.stringify({ port, generations, loads })}\n`);
  process.exit(0);
});
