import type { z } from "zod";
import { engineSchema } from "./engine.js";
import type { Config } from "./sections.js";

const DEFAULTS = engineSchema.parse({});

/** A rule over several keys. It is checked only if every key that it reads is valid by itself. */
interface CrossCheck {
  /** The error names the first key. */
  readonly reads: readonly [string, ...string[]];
  readonly message: string;
  readonly holds: (config: Config) => boolean;
}

const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    reads: ["engine.urls", "engine.type"],
    message: "expected at least one URL, because engine.type is sglang or vllm",
    holds: ({ engine }) => engine.type === "embedded" || engine.urls.length > 0,
  },
  {
    reads: ["engine.urls", "engine.type"],
    message: "expected no URLs, because engine.type is embedded; set engine.type to use these servers",
    holds: ({ engine }) => engine.type !== "embedded" || engine.urls.length === 0,
  },
  {
    reads: ["engine.api_key", "engine.type"],
    message: "expected null, because engine.type is embedded and has no API key",
    holds: ({ engine }) => engine.type !== "embedded" || engine.api_key === null,
  },
  {
    reads: ["engine.admin_api_key", "engine.type"],
    message: "expected null, because only the engine type sglang has an admin key",
    holds: ({ engine }) => engine.type === "sglang" || engine.admin_api_key === null,
  },
  {
    reads: ["engine.served_model", "engine.type"],
    message: "expected null, because only the engine type vllm requests a model by name",
    holds: ({ engine }) => engine.type === "vllm" || engine.served_model === null,
  },
  {
    reads: ["engine.model", "engine.type"],
    message: "expected null, because only the embedded engine loads a .gguf file; engine servers load their own model",
    holds: ({ engine }) => engine.type === "embedded" || engine.model === null,
  },
  {
    reads: ["model.path", "engine.type"],
    message:
      "expected the model's Hugging Face folder, because prompts are rendered and tokenized here, not by the engine",
    holds: ({ engine, model }) => engine.type === "embedded" || model.path !== null,
  },
  {
    reads: ["model.path", "engine.model"],
    message: "expected the Hugging Face folder with the tokenizer and chat template of engine.model",
    holds: ({ engine, model }) => engine.model === null || model.path !== null,
  },
  {
    reads: ["engine.model", "engine.type", "model.path"],
    message: "expected the .gguf file that belongs to model.path, because the tiny model has its own tokenizer",
    holds: ({ engine, model }) => engine.type !== "embedded" || model.path === null || engine.model !== null,
  },
  {
    reads: ["rollout.agent.concat_reward", "rollout.agent.export_style"],
    message: "expected leaf, because rows of style individual have one turn; set rollout.agent.export_style to concat",
    holds: ({ rollout: { agent } }) => agent.concat_reward === "leaf" || agent.export_style === "concat",
  },
  {
    reads: ["rollout.agent.image_hosts", "rollout.agent.image_urls"],
    message: "has no effect, because no images are fetched; set rollout.agent.image_urls to fetch",
    holds: ({ rollout: { agent } }) => agent.image_hosts.length === 0 || agent.image_urls === "fetch",
  },
  {
    reads: ["engine.sequences", "engine.type"],
    message:
      "has no effect, because only the embedded engine uses it; use engine.max_inflight to limit calls per server",
    holds: ({ engine }) => engine.type === "embedded" || isDefault("sequences", engine),
  },
  {
    reads: ["engine.max_inflight", "engine.type"],
    message: "has no effect, because the embedded engine has no servers; use engine.sequences to limit its calls",
    holds: ({ engine }) => engine.type !== "embedded" || isDefault("max_inflight", engine),
  },
  {
    reads: ["server.probe_port", "server.port"],
    message: "expected another port than server.port",
    holds: ({ server }) => server.probe_port !== server.port || server.port === 0,
  },
  {
    reads: ["server.workers", "engine.type"],
    message:
      "expected 1, because engine.type is embedded and each worker would load a model of its own and compete for the same cores; use engine.type sglang or vllm",
    holds: ({ server, engine }) => engine.type !== "embedded" || server.workers === 1,
  },
  {
    reads: ["server.worker_tag", "server.workers"],
    message: "expected auto, because each of the server.workers needs a tag of its own",
    holds: ({ server }) => server.workers === 1 || server.worker_tag === "auto",
  },
  {
    reads: ["server.worker_tag", "storage.directory"],
    message:
      "expected auto, because without storage.directory a server that is started again gives new sessions the ids of former ones; got hostname",
    holds: ({ server, storage }) => server.worker_tag !== "hostname" || storage.directory !== null,
  },
  {
    reads: ["server.advertised_host", "server.workers_folder", "server.workers"],
    message: "has no effect without server.workers_folder, in which gateways find this name; got null",
    holds: ({ server }) => server.advertised_host === null || server.workers_folder !== null || server.workers !== 1,
  },
  {
    reads: ["server.worker_tag", "server.workers_folder"],
    message: "expected a tag or auto, because a server registers in server.workers_folder under its tag; got null",
    holds: ({ server }) => server.worker_tag !== null || server.workers_folder === null,
  },
];

/** Returns true if a key has its default value. Other values of a key without effect are errors. */
function isDefault(key: keyof Config["engine"], engine: Config["engine"]): boolean {
  return engine[key] === DEFAULTS[key];
}

/** Returns the schema with every rule over several keys attached. */
export function withCrossChecks<Schema extends z.ZodType<Config>>(schema: Schema): Schema {
  return CROSS_CHECKS.reduce(
    (checked, { reads, message, holds }) =>
      checked.refine(holds, {
        error: message,
        path: reads[0].split("."),
        when: ({ issues }) => !issues.some((issue) => invalidates(issue, reads)),
      }),
    schema,
  );
}

/** Returns true if an issue leaves one of these keys without a valid value. An unknown key next to them does not. */
function invalidates(issue: z.core.$ZodRawIssue, keys: readonly string[]): boolean {
  if (issue.code === "unrecognized_keys") return false;
  const at = issue.path?.join(".") ?? "";
  return at === "" || keys.some((key) => key === at || key.startsWith(`${at}.`) || at.startsWith(`${key}.`));
}
