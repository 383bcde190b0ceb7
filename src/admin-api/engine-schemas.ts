import { z } from "zod";
import { controlBody } from "../http/control-body.js";
import { modelField } from "./weight-version.js";

const count = z.int().min(0);

export const serverRecord = z.object({
  url: z.string(),
  state: z
    .enum(["up", "down", "draining", "unknown"])
    .describe("`unknown`: not reached yet. Such a server gets requests like one that is `up`."),
  healthy: z
    .boolean()
    .describe("The last health check succeeded; false until the server was reached for the first time."),
  requests: count.describe("Requests in progress, including those that wait for a place on the server."),
  waiting: count.describe("Requests that wait for a place on the server."),
  max_inflight: count.describe("Requests that may run on the server at once (`engine.max_inflight`)."),
  logprobs: z
    .enum(["temperature", "truncated", "raw", "unknown"])
    .describe("Content of the server's log probabilities; `unknown` until its first reply."),
  completed: count.describe("Requests completed since the start."),
  failed: count.describe("Requests failed since the start."),
  aborted: count.describe("Requests aborted because the agent disconnected or the call timed out."),
  failovers: count.describe("Requests that were sent to another server because this one did not start them or died."),
  last_failure: z
    .object({ message: z.string(), at: z.number().describe("Seconds since the epoch.") })
    .nullable()
    .describe("The last request that failed on the server; null if none did."),
});

const pauseMode = z.enum(["abort", "keep"]);

/** An engine of a server that answers several models. */
export const namedEngineRecord = z.object({
  model: z.string().describe("The `model` of requests that it answers."),
  frozen: z.boolean().describe("The model is not trained."),
  type: z.string(),
  weight_version: z.int().describe("Weight version of tokens from engines that report none."),
  paused: pauseMode.nullable(),
  servers: z.array(serverRecord),
});

export const engineRecord = z.object({
  type: z.string(),
  paused: pauseMode.nullable().describe("Mode of the current pause by `POST /rl/engine/pause`; null if not paused."),
  version_labels: z
    .record(z.string(), z.int())
    .describe("Weight versions by the text with which an engine named the weights. Empty if all were integers."),
  servers: z.array(serverRecord).describe("Empty if the engine runs in the server's own process."),
  models: z
    .array(namedEngineRecord)
    .optional()
    .describe("With `engines`: every model that the server answers. The fields above are those of the main one."),
});

export const restoreBody = controlBody({
  url: z.string().describe("Address of the server, as `GET /rl/engine` lists it."),
});

export const drainBody = controlBody({
  ...restoreBody.shape,
  wait_seconds: z.number().min(0).max(86_400).default(0).describe("How long to wait until the server has no requests."),
});

export const pauseFields = {
  model: modelField,
  mode: pauseMode
    .default("abort")
    .describe("`abort` cuts running requests and resumes them after the pause; `keep` freezes them."),
};

const targetServers = z
  .array(z.string())
  .optional()
  .describe(
    "Set by gateways: addresses of the servers that this worker pauses or resumes; other workers do the rest. Default: all servers.",
  );

export const pauseBody = controlBody({ ...pauseFields, servers: targetServers });

export const resumeBody = controlBody({
  model: modelField,
  servers: targetServers,
  hold: z.boolean().default(false).describe("Set by gateways: model calls keep waiting until a resume without `hold`."),
});
