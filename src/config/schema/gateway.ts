import { z } from "zod";
import { MAX_SECONDS } from "./limits.js";
import { usedBy } from "./used-by.js";
import { baseUrl, nullableText } from "./values.js";

/** `rolltape gateway`: one address for many servers. Its own host and port are under `server`. */
export const gatewaySchema = z.strictObject({
  workers: z
    .array(baseUrl)
    .default([])
    .describe("Base URLs of the servers behind the gateway.")
    .meta(usedBy("gateway", "running servers")),
  workers_folder: nullableText
    .describe("Shared folder in which servers register (their `server.workers_folder`).")
    .meta(usedBy("gateway", "running servers")),
  direct: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      "Return the address of the session's server as `base_url` of `/rl/start_session`, so that model calls can bypass the gateway. Agents must then be able to reach the servers. False: they need to reach only the gateway. Null: true for the workers of `server.workers`, else false.",
    ),
  unreachable_seconds: z
    .number()
    .min(0.05)
    .max(MAX_SECONDS)
    .default(10)
    .describe(
      "Seconds after which a server that answers neither calls nor probes (`GET /livez`) is unreachable. Calls that wait for it then end with 503, and new calls are refused at once until it answers a probe.",
    ),
  worker_return_seconds: z
    .number()
    .min(0)
    .max(MAX_SECONDS)
    .default(30)
    .describe(
      "Seconds for which calls wait if the server of their session cannot be reached or has left. They are forwarded when a server with the same tag is back, possibly at another address. The time counts from when the server left; after it, calls get 503. 0: they get 503 at once.",
    )
    .meta(usedBy("gateway", "storage")),
});
