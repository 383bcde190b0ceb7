import { z } from "zod";
import { MEBIBYTE } from "./limits.js";
import { optionalText, seconds } from "./values.js";

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Where the proxy listens and what it takes. */
export const serverSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1").describe("Address that the server listens on."),
  port: z.int().min(0).max(65_535).default(8090).describe("Port that the server listens on; 0 takes any free one."),
  max_body_bytes: z
    .int()
    .min(1)
    .default(64 * MEBIBYTE)
    .describe("Largest request body, in bytes; a larger one is answered 413."),
  known_request_bytes: z
    .int()
    .min(0)
    .default(256 * MEBIBYTE)
    .describe(
      "What the newest requests of running conversations may take, in bytes, so that of a next turn only what is new " +
        "is parsed, checked and encoded; 0 keeps none.",
    ),
  strict_control_fields: z
    .boolean()
    .default(true)
    .describe(
      "Whether control and export calls with an unknown field are answered 400; false ignores such fields. Set the same " +
        "value for a gateway and its servers.",
    ),
  keepalive_seconds: z
    .number()
    .gt(0)
    .max(3600)
    .default(15)
    .describe("Pause after which a stream that has nothing to say sends a comment, or a ping."),
  shutdown_seconds: seconds
    .default(30)
    .describe("How long a server that stops waits for calls in flight and for ended sessions to be exported."),
  worker_tag: z
    .string()
    .regex(/^[a-z0-9]{1,32}$/)
    .nullable()
    .default("auto")
    .meta({ expected: "1 to 32 characters of a-z and 0-9, or auto" })
    .describe(
      "Name of this server, carried by its session keys and session ids. `auto` makes a new one at every start, so that no " +
        "session id is used twice; null: no tag, and no gateway.",
    ),
  workers_folder: optionalText.describe(
    "Shared folder in which this server registers, for gateways to find it, and in which the servers keep the current weight version.",
  ),
  advertised_host: optionalText.describe(
    "Name or address under which gateways reach this server; null takes `host`, or the machine's name where that is any address.",
  ),
  log_level: z.enum(LOG_LEVELS).default("info").describe("Least severe log lines that are written."),
});
