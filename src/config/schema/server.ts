import { z } from "zod";
import { GIBIBYTE, MAX_SECONDS, MEBIBYTE } from "./limits.js";
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
  send_timeout_seconds: seconds
    .default(120)
    .describe(
      "Seconds for which a client may stop reading its answer. After that, its connection is closed. An answer that is read slowly has no time limit.",
    )
    .meta(usedBy(["proxy", "gateway", "controller"])),
  max_prompt_characters: z
    .int()
    .min(1)
    .default(4 * MEBIBYTE)
    .describe(
      "Maximum number of characters in the messages and tools of a model call. Each message, tool call and value in a tool's definition adds 16. More are refused with 413.",
    ),
  max_session_bytes: z
    .int()
    .min(1)
    .nullable()
    .default(2 * GIBIBYTE)
    .describe(
      "Maximum memory of one session with its tokens, messages, tools and stored responses, in bytes. Further calls are refused with 403. Null: no limit.",
    ),
  max_concurrent_calls: z
    .int()
    .min(1)
    .nullable()
    .default(256)
    .describe(
      "Maximum number of calls that one session may have in flight, including calls whose answers were not read yet. Each of the answers that a call asks for counts as one. More are refused with 429. Null: no limit.",
    ),
  max_upstream_calls: z
    .int()
    .min(1)
    .nullable()
    .default(4096)
    .describe(
      "Maximum number of calls that one session may make to `upstreams`. More are refused with 403. Null: no limit. At most 16 of them may be in flight; more are refused with 429.",
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
  strict_control_fields: z
    .boolean()
    .default(true)
    .describe(
      "Refuse control and export calls that have an unknown field with 400; false ignores such fields. Use the same value for a gateway and its servers.",
    )
    .meta(usedBy(["proxy", "gateway"])),
  shared_memory_directory: z
    .string()
    .regex(/^\//)
    .default("/dev/shm")
    .meta({ expected: "an absolute path" })
    .describe("Folder for batches that are exported with `transport: shm`. Use a file system in memory.")
    .meta(usedBy(["proxy", "gateway", "rollout"])),
  shared_memory_bytes: z
    .int()
    .min(1)
    .default(4 * GIBIBYTE)
    .describe("Maximum size of all batches in this folder, in bytes.")
    .meta(usedBy(["proxy", "gateway"])),
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
    .meta({ expected: "1 to 32 characters of a-z and 0-9, auto, hostname" })
    .describe(
      "Name of this server, part of its session keys and session ids. `auto`: a new name at every start, so that session ids are never reused; with `storage.directory`, the name stored in the folder. `hostname`: the letters and digits of the machine's name, such as `proxy0` for the pod `proxy-0`; only with `storage.directory`. Null: no tag, so the server cannot be behind a gateway.",
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
