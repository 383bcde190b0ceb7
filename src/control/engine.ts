import { z } from "zod";
import { controlBody } from "../http/control-body.js";

const count = z.int().min(0);

export const serverRecord = z.object({
  url: z.string(),
  state: z
    .enum(["up", "down", "draining", "unknown"])
    .describe("`unknown`: not reached yet; it gets requests like one that is `up`."),
  healthy: z.boolean().describe("It could be reached and was well when it last was asked; false until it was reached."),
  requests: count.describe("Requests that it works on, or that wait for one of its connections."),
  waiting: count.describe("Those of them that wait."),
  logprobs: z
    .enum(["temperature", "truncated", "raw", "unknown"])
    .describe("What its log probabilities include; `unknown` until its first reply."),
  completed: count.describe("Requests since the start that were answered."),
  failed: count,
  aborted: count.describe("The agent left, or the call's time ran out."),
  failovers: count.describe("Requests that it did not begin with and that went to another server."),
  last_failure: z
    .object({ message: z.string(), at: z.number().describe("Seconds since the epoch.") })
    .nullable()
    .describe("The last request that failed on it."),
});

const pauseMode = z.enum(["abort", "keep"]);

export const engineRecord = z.object({
  type: z.string(),
  paused: pauseMode.nullable().describe("How it was paused by /rl/engine/pause and not resumed since."),
  servers: z.array(serverRecord).describe("Empty where the engine runs in the server's own process."),
});

export const restoreBody = controlBody({ url: z.string().describe("As /rl/engine lists it.") });

export const drainBody = controlBody({
  ...restoreBody.shape,
  wait_seconds: z.number().min(0).max(86_400).default(0).describe("How long to wait until it has no requests."),
});

export const pauseFields = {
  mode: pauseMode.default("abort").describe("`abort` cuts what runs, to be resumed later; `keep` freezes it."),
};

const toldServers = z
  .array(z.string())
  .optional()
  .describe("Set by gateways: the servers that this worker tells; others tell the rest. Default: every server.");

export const pauseBody = controlBody({ ...pauseFields, servers: toldServers });

export const resumeBody = controlBody({
  servers: toldServers,
  hold: z.boolean().default(false).describe("Set by gateways: calls wait on, until a resume without it."),
});
