import { z } from "zod";
import { readS3Address } from "../../support/s3-address.js";
import { engineSchema } from "./engine.js";
import { engines } from "./engines.js";
import { MAX_SECONDS } from "./limits.js";
import { rolloutSchema } from "./rollout.js";
import { serverSchema } from "./server.js";
import { teachers } from "./teachers.js";
import { upstream } from "./upstreams.js";
import { usedBy } from "./used-by.js";
import { baseUrl, nullableText, readDnsService } from "./values.js";

/** Where sessions are stored, so that they survive the process. */
const storageSchema = z.strictObject({
  directory: nullableText
    .describe(
      "Folder on a local disk in which the server stores its sessions. If the server is started again on the same folder, it still has them. Every server needs a folder of its own. A rollout job also stores its tasks there. Null: sessions end with the process.",
    )
    .meta(usedBy(["proxy", "rollout"])),
  durability: z
    .enum(["call", "interval", "none"])
    .default("call")
    .describe(
      "When the server sends an answer. `call`: once its changes are on disk, so that no answered change is lost. `interval`: at once; if the process stops, the changes of the last 0.1 s are lost. `none`: at once, and commits do not wait for the disk; if the machine stops, the folder may be damaged.",
    )
    .meta(usedBy(["proxy", "rollout"], "storage")),
  memory_bytes: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe(
      "Maximum memory of all sessions, in bytes. Above it, sessions that are not in use are kept on disk only. They are read again for a call or an export. Null: half of `server.store_bytes`.",
    )
    .meta(usedBy("proxy", "storage")),
  archive: z
    .string()
    .refine((text) => readS3Address(text) !== undefined)
    .nullable()
    .default(null)
    .meta({ expected: "s3://BUCKET/PREFIX" })
    .describe(
      "An S3 prefix, such as `s3://bucket/run-7`. The server uploads each ended session to it, and a rollout job each batch. Needs the package `@aws-sdk/client-s3`, whose environment variables (`AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID` and others) set the endpoint and the credentials. Null: nothing is uploaded.",
    )
    .meta(usedBy(["proxy", "rollout"], "storage")),
  archive_backlog_bytes: z
    .int()
    .min(1)
    .default(10_000_000_000)
    .describe(
      "Maximum size of the files that wait in `storage.directory` for their upload, in bytes. Above it, ended sessions wait in the storage.",
    )
    .meta(usedBy(["proxy", "rollout"], "storage")),
});

/** `rolltape gateway`: one address for many servers. Its own host and port are under `server`. */
const gatewaySchema = z.strictObject({
  workers: z
    .array(baseUrl)
    .default([])
    .describe("Base URLs of the servers behind the gateway.")
    .meta(usedBy("gateway", "running servers")),
  workers_folder: nullableText
    .describe("Shared folder in which servers register (their `server.workers_folder`).")
    .meta(usedBy("gateway", "running servers")),
  discover: z
    .string()
    .refine((text) => readDnsService(text) !== undefined)
    .nullable()
    .default(null)
    .meta({ expected: "dns:NAME:PORT" })
    .describe(
      "A DNS name whose A and AAAA records are the addresses of servers, and their port, such as `dns:rolltape.default.svc.cluster.local:8090`. Search domains are not used. Null: none.",
    )
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

const RAY_REFUSED = "expected local or slurm, got ray, because agent workflows do not run on Ray";

/** Traces for an OpenTelemetry collector. */
const telemetrySchema = z.strictObject({
  otlp_url: baseUrl
    .nullable()
    .default(null)
    .meta({ expected: "an http or https URL without query or fragment" })
    .describe(
      "Base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, to which traces are sent by OTLP over HTTP (`/v1/traces`). Null: no traces. See [Traces](../guides/operations.md#traces).",
    ),
  sample_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe(
      "Share of the traces that begin here which are recorded, from 0 to 1. A request with a `traceparent` header is recorded if that says so.",
    ),
});

/** The scheduler that starts the processes of a job. */
const schedulerSchema = z.strictObject({
  type: z
    .enum(["local", "slurm"], { error: ({ input }) => (input === "ray" ? RAY_REFUSED : undefined) })
    .default("local")
    .describe(
      "Where `rolltape job`, and `rolltape rollout --job-folder`, start their processes: on this machine or through Slurm.",
    ),
});

/** The chat model: how messages become tokens and tokens become text. */
const modelSchema = z.strictObject({
  path: nullableText.describe(
    "Hugging Face model folder with tokenizer.json, tokenizer_config.json and optionally chat_template.jinja. Null is for the embedded engine only, which then runs its own tiny model.",
  ),
  name: nullableText.describe("Name of the model in model lists and answers. Null: the folder's name."),
});

/** The whole configuration. Each key is checked by itself. */
export const sectionsSchema = z.strictObject({
  server: serverSchema.meta(usedBy("proxy")).prefault({}),
  storage: storageSchema.meta(usedBy("proxy")).prefault({}),
  model: modelSchema.meta(usedBy("proxy")).prefault({}),
  engine: engineSchema.meta(usedBy("proxy")).prefault({}),
  rollout: rolloutSchema.meta(usedBy("rollout")).prefault({}),
  scheduler: schedulerSchema.meta(usedBy("job")).prefault({}),
  gateway: gatewaySchema.meta(usedBy("gateway")).prefault({}),
  telemetry: telemetrySchema.meta(usedBy(["proxy", "gateway", "worker"])).prefault({}),
  upstreams: z
    .array(upstream)
    .default([])
    .meta({ writeOnly: true })
    .meta(usedBy("proxy"))
    .describe(
      "Model names whose calls another server answers, `{models, url, api_key, api_key_env, model, timeout_seconds}`, or that are refused, `{models, refuse: true}`. Such calls are not recorded. The first entry that matches the requested name applies. The policy answers all other names and that of the served model. See [Calls to other models](model-calls.md#calls-to-other-models).",
    ),
  engines: engines
    .meta({ writeOnly: true })
    .meta(usedBy("proxy"))
    .describe(
      "Further models that the server answers, such as an opponent or a second policy, `{name, type, urls, path, frozen, served_model, context_length, max_inflight, timeout_seconds, api_key, admin_api_key}`. A request's `model` chooses: one of these names, or `model.name` for the model of `engine`, which also answers requests without a `model`. Other names get 404. A `frozen` model is not trained. `path` null: the folder of `model.path`. See [Several models](../guides/several-models.md).",
    ),
  teachers: teachers
    .meta({ writeOnly: true })
    .meta(usedBy("proxy"))
    .describe(
      "Models that score the recorded tokens, `{name, engine, urls, model, top_k, when, max_inflight, timeout_seconds, api_key}`. Their log probabilities become the tensors `teacher_<name>_logprobs` of batches. They must have the tokenizer of the policy. See [Teachers](../guides/teachers.md).",
    ),
  group_size: z
    .int()
    .min(1)
    .default(1)
    .meta(usedBy("rollout"))
    .describe("Number of rollouts per task. They form one group."),
  drop_incomplete_group: z
    .boolean()
    .default(true)
    .meta(usedBy("rollout"))
    .describe("Drop all trajectories of a group that has a rejected member."),
});

/** The resolved configuration: every key is present, spelled as users write it. Null means "not set". */
export type Config = z.output<typeof sectionsSchema>;
