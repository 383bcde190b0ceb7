import { once } from "node:events";
import { Random } from "../helpers/random.js";
import { startSglangServer } from "../helpers/sglang/sglang-server.js";

/** Serves an engine whose tokens depend on the prompt only, so that an episode has the same tokens each time that it runs. */

/** Ids of the tiny model's vocabulary that are plain text. */
const [FIRST_ID, LAST_ID] = [300, 499];

const [host = "127.0.0.1", port = "0"] = process.argv.slice(2);
const server = await startSglangServer({
  host,
  port: Number(port),
  forgetful: true,
  weightVersion: "0",
  tokenMilliseconds: 1,
  complete: ({ inputIds, sampling }) => {
    const random = new Random(...inputIds);
    return Array.from({ length: sampling.max_new_tokens }, () => random.integer(FIRST_ID, LAST_ID));
  },
});
console.log(JSON.stringify({ event: "ready", url: server.url }));
await once(process, "SIGTERM");
