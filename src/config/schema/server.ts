import { z } from "zod";
import { MAX_SECONDS, MEBIBYTE } from "./limits.js";
import { usedBy } from "./used-by.js";
import { nullableText, seconds } from "./values.js";

export const LOG_LEVELS = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;

/** Linux limits the path of a socket to 108 bytes, including the terminating null. */
const MAX_SOCKET_PATH = 107;

/** Where the server listens, and its limits. */
export const serverSchema = z.strictObject({
  host: z
    .string()
    .min(1)
    .default("127.0.0.1")
    .describe("Address to listen on.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  port: z
    .int()
    .min(0)
    .max(65_535)
    .default(8090)
    .describe("Port to listen on; 0 picks a free one.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  socket: nullableText
    .refine((path) => path === null || Buffer.byteLength(path) <= MAX_SOCKET_PATH)
    .meta({ expected: `a path of at most ${MAX_SOCKET_PATH} bytes` })
    .describe(
      "Path of a Unix socket that serves the same API as the port, for trainers on the same machine. Only the server's user may connect. With several `server.workers`, the gateway serves it. Null: none.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  workers: z
    .union([z.int().min(1).max(256), z.literal("auto")])
    .default(1)
    .meta({ expected: "an integer from 1 to 256 or auto" })
    .describe(
      "Number of processes of `rolltape serve`. Above 1, the command runs this many servers and a gateway at `host` and `port`, and divides memory, connections and `engine.max_inflight` among them. `auto`: one for each processor core that the process may use. See [Every core of a machine](../guides/scale-out.md#every-core-of-a-machine).",
    )
    .meta(usedBy("serve")),
  probe_port: z
    .int()
    .min(0)
    .max(65_535)
    .nullable()
    .default(null)
    .describe(
      "Second port, on which a thread of its own answers `/livez`, `/readyz` and `/health` without a key, even if the server is too busy to accept connections. 0 picks a free one. Null: none.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  stall_seconds: z
    .number()
    .min(1)
    .max(MAX_SECONDS)
    .default(60)
    .describe(
      "Seconds for which the main thread may not run until probes of `server.probe_port` fail. A process that the system stops as a whole, for example while a laptop sleeps, does not count as stalled.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  max_body_bytes: z
    .int()
    .min(1)
    .default(16 * MEBIBYTE)
    .describe("Maximum size of a request body, in bytes. Larger bodies are refused with 413.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  body_bytes_in_flight: z
    .int()
    .min(1)
    .default(512 * MEBIBYTE)
    .describe(
      "Maximum size of all request bodies that are being received, in bytes. One session may use an eighth of what the others leave, and small bodies have an eighth of their own. Further bodies are refused with 503.",
    )
    .meta(usedBy(["proxy", "gateway", "controller"])),
  max_connections: z
    .int()
    .min(1)
    .default(16_384)
    .describe(
      "Maximum number of open connections. For a further one, the connection that has been idle longest is closed.",
    )
    .meta(usedBy(["proxy", "gateway", "controller"])),
  listen_backlog: z
    .int()
    .min(1)
    .max(65_535)
    .default(4096)
    .describe("Connections that the operating system keeps waiting until the server accepts them.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  headers_timeout_seconds: seconds
    .default(15)
    .describe("Seconds in which a client must send the headers of a request.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  request_timeout_seconds: seconds
    .default(120)
    .describe("Seconds in which a client must send a whole request. Does not limit the time of the answer.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  send_timeout_seconds: seconds
    .default(120)
    .describe(
      "Seconds for which a client may stop reading its answer. After that, its connection is closed. An answer that is read slowly has no time limit.",
    )
    .meta(usedBy(["proxy", "gateway", "controller"])),
  max_json_depth: z
    .int()
    .min(8)
    .max(127)
    .default(64)
    .describe(
      "Maximum depth of arrays and objects in a body that is sent with a session key. Deeper bodies are refused with 400.",
    ),
  max_json_values: z
    .int()
    .min(1)
    .default(50_000)
    .describe(
      "Maximum number of JSON values in the body of a model call, including those in arguments of tool calls. More are refused with 400.",
    ),
  max_json_keys: z
    .int()
    .min(1)
    .default(4096)
    .describe(
      "Maximum number of keys in one object of a body that is sent with a session key. More are refused with 400.",
    ),
  max_messages: z
    .int()
    .min(1)
    .default(4096)
    .describe("Maximum number of messages (`input` items, `contents`) in a model call. More are refused with 400."),
  max_tools: z
    .int()
    .min(1)
    .default(512)
    .describe("Maximum number of tools (functions, in Gemini's API) in a model call. More are refused with 400."),
  max_prompt_characters: z
    .int()
    .min(1)
    .default(4 * MEBIBYTE)
    .describe(
      "Maximum number of characters in the messages and tools of a model call. Each message, tool call and value in a tool's definition adds 16. More are refused with 413.",
    ),
  known_request_bytes: z
    .int()
    .min(0)
    .default(256 * MEBIBYTE)
    .describe(
      "Memory for the newest requests of running conversations, in bytes. With it, a later turn parses, checks and encodes only what is new; 0 disables it.",
    ),
  store_bytes: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum memory of sessions, remembered requests, batches in shared memory and calls in flight, in bytes. Beyond it, model calls are refused with 503. Null: half of what the JavaScript heap and `body_bytes_in_flight` leave of the memory of the machine or container. Set it if several servers share a machine.",
    ),
  store_high_water: z
    .number()
    .gt(0)
    .max(1)
    .default(0.8)
    .describe(
      "Share of `store_bytes` and of the limit of the JavaScript heap. Above it, new sessions are refused with 503, which leaves room for the calls of running sessions.",
    ),
  strict_control_fields: z
    .boolean()
    .default(true)
    .describe(
      "Refuse control and export calls that have an unknown field with 400; false ignores such fields. Use the same value for a gateway and its servers.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  keepalive_seconds: z
    .number()
    .gt(0)
    .max(3600)
    .default(15)
    .describe("Seconds without output after which a stream sends a comment or a ping."),
  shutdown_seconds: seconds
    .default(30)
    .describe(
      "Seconds that a stopping server waits for calls in flight, for answers that are being sent and, without `storage.directory`, for exports of ended sessions.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  worker_tag: z
    .string()
    .regex(/^[a-z0-9]{1,32}$/)
    .nullable()
    .default("auto")
    .meta({ expected: "1 to 32 characters of a-z and 0-9, auto" })
    .describe(
      "Name of this server, part of its session keys and session ids. `auto`: a new name at every start, so that session ids are never reused; with `storage.directory`, the name stored in the folder. Null: no tag, so the server cannot be behind a gateway.",
    )
    .meta(usedBy("proxy", "one proxy")),
  workers_folder: nullableText
    .describe(
      "Shared folder in which this server registers. Gateways find servers there, and the current weight version is stored there.",
    )
    .meta(usedBy("proxy", "one proxy")),
  advertised_host: nullableText
    .describe(
      "Host name or address at which gateways reach this server, and agents the workers of `server.workers`. Null: `host`, or the machine's name if `host` is a wildcard address.",
    )
    .meta(usedBy("proxy", "one proxy")),
  ui: z
    .boolean()
    .default(false)
    .describe(
      "Serves a page at `/ui/` that shows the server's sessions with their messages and tokens. The page asks for the admin key.",
    ),
  public_metrics: z
    .boolean()
    .default(true)
    .describe("Answer `/metrics` and `/openapi.json` without a key; false: they need the admin key.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  access_log: z
    .boolean()
    .default(false)
    .describe("Write a log line per request: method, path, status and time, without query, headers and bodies.")
    .meta(usedBy(["proxy", "gateway", "controller"])),
  log_level: z
    .enum(LOG_LEVELS)
    .default("info")
    .describe("Minimum severity of log lines.")
    .meta(usedBy(["proxy", "gateway", "rollout", "controller", "worker"])),
});
