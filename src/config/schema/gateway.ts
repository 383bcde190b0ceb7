import { z } from "zod";
import { MAX_SECONDS } from "./limits.js";
import { baseUrl, optionalText } from "./values.js";

/** `rolltape gateway`: one address for many servers. Its own host and port are under `server`. */
export const gatewaySchema = z.strictObject({
  workers: z.array(baseUrl).default([]).describe("Base URLs of the servers behind the gateway."),
  workers_file: optionalText.describe(
    "File with more server URLs, one per line; lines that start with # are ignored. It is read again when it changes.",
  ),
  workers_folder: optionalText.describe("Shared folder in which servers register (their `server.workers_folder`)."),
  poll_seconds: z.number().min(0.05).max(60).default(1).describe("Seconds between checks of servers, file and folder."),
  direct: z
    .boolean()
    .default(false)
    .describe(
      "Answer the server's own address as `base_url` of `/rl/start_session`, so that model calls need not pass the gateway. Agents must be able to reach the servers. False: they need to reach only the gateway.",
    ),
  control_timeout_seconds: z
    .number()
    .min(0.05)
    .max(MAX_SECONDS)
    .default(5)
    .describe(
      "Seconds that the gateway waits for a server's answer to a control call, such as `/grant_capacity` or `/rl/start_session`. Model calls and exports have no such limit.",
    ),
  unreachable_seconds: z
    .number()
    .min(0.05)
    .max(MAX_SECONDS)
    .default(10)
    .describe(
      "Seconds without an answer to calls and probes (`GET /livez`) after which a server is unreachable: calls that wait for it end with 503, and new ones are refused at once until it answers a probe.",
    ),
});
