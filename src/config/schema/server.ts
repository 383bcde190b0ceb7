import { z } from "zod";
import { MEBIBYTE } from "./limits.js";
import { seconds } from "./values.js";

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
  keepalive_seconds: z
    .number()
    .gt(0)
    .max(3600)
    .default(15)
    .describe("Pause after which a stream that has nothing to say sends a comment, or a ping."),
  shutdown_seconds: seconds
    .default(30)
    .describe("How long a server that stops waits for calls in flight and for ended sessions to be exported."),
  log_level: z.enum(LOG_LEVELS).default("info").describe("Least severe log lines that are written."),
});
