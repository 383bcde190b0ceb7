import type { z } from "zod";
import { engineSchema } from "./engine.js";
import type { Config } from "./sections.js";

const DEFAULTS = engineSchema.parse({});

/** A rule over several keys. It is judged where every key that it reads is valid by itself. */
interface CrossCheck {
  /** The first is the key that the error names. */
  readonly reads: readonly [string, ...string[]];
  readonly message: string;
  readonly holds: (config: Config) => boolean;
}

const CROSS_CHECKS: readonly CrossCheck[] = [
  {
    reads: ["engine.urls", "engine.type"],
    message: "expected at least one URL: the engine types sglang and vllm are servers",
    holds: ({ engine }) => engine.type === "embedded" || engine.urls.length > 0,
  },
  {
    reads: ["engine.urls", "engine.type"],
    message: "the embedded engine runs in this process and calls no server; set engine.type to use these URLs",
    holds: ({ engine }) => engine.type !== "embedded" || engine.urls.length === 0,
  },
  {
    reads: ["engine.api_key", "engine.type"],
    message: "the embedded engine asks for no key",
    holds: ({ engine }) => engine.type !== "embedded" || engine.api_key === null,
  },
  {
    reads: ["engine.admin_api_key", "engine.type"],
    message: "only SGLang's servers ask for an admin key",
    holds: ({ engine }) => engine.type === "sglang" || engine.admin_api_key === null,
  },
  {
    reads: ["engine.served_model", "engine.type"],
    message: "only the engine type vllm asks its servers for a model by name",
    holds: ({ engine }) => engine.type === "vllm" || engine.served_model === null,
  },
  {
    reads: ["engine.model", "engine.type"],
    message: "only the embedded engine loads a .gguf file; the servers of the other types have a model of their own",
    holds: ({ engine }) => engine.type === "embedded" || engine.model === null,
  },
  {
    reads: ["model.path", "engine.type"],
    message: "expected the model's Hugging Face folder: prompts are rendered and tokenized here, not by the engine",
    holds: ({ engine, model }) => engine.type === "embedded" || model.path !== null,
  },
  {
    reads: ["model.path", "engine.model"],
    message: "expected the Hugging Face folder that belongs to engine.model: its tokenizer and chat template",
    holds: ({ engine, model }) => engine.model === null || model.path !== null,
  },
  {
    reads: ["engine.model", "engine.type", "model.path"],
    message: "expected the .gguf file that belongs to model.path: the tiny model has its own tokenizer",
    holds: ({ engine, model }) => engine.type !== "embedded" || model.path === null || engine.model !== null,
  },
  {
    reads: ["rollout.agent.concat_reward", "rollout.agent.export_style"],
    message: "rows of style individual have one turn each; set rollout.agent.export_style to concat to sum over turns",
    holds: ({ rollout: { agent } }) => agent.concat_reward === "leaf" || agent.export_style === "concat",
  },
  {
    reads: ["engine.sequences", "engine.type"],
    message: "only the embedded engine runs a number of calls; engine.connections limits those to each server",
    holds: ({ engine }) => engine.type === "embedded" || isDefault("sequences", engine),
  },
  {
    reads: ["engine.connections", "engine.type"],
    message: "the embedded engine has no connections; engine.sequences limits its calls",
    holds: ({ engine }) => engine.type !== "embedded" || isDefault("connections", engine),
  },
  {
    reads: ["engine.health_seconds", "engine.type"],
    message: "the embedded engine runs in this process and has no servers to ask",
    holds: ({ engine }) => engine.type !== "embedded" || isDefault("health_seconds", engine),
  },
  {
    reads: ["engine.vllm_api", "engine.type"],
    message: "only the engine type vllm has several ways to be asked",
    holds: ({ engine }) => engine.type === "vllm" || isDefault("vllm_api", engine),
  },
  {
    reads: ["server.advertised_host", "server.workers_folder"],
    message: "gateways find this name in server.workers_folder, got null",
    holds: ({ server }) => server.advertised_host === null || server.workers_folder !== null,
  },
  {
    reads: ["server.worker_tag", "server.workers_folder"],
    message: "expected a tag or auto: a server registers in server.workers_folder under its tag, got null",
    holds: ({ server }) => server.worker_tag !== null || server.workers_folder === null,
  },
];

/** Whether a key has its default: then nobody has asked for something that has no effect. */
function isDefault(key: keyof Config["engine"], engine: Config["engine"]): boolean {
  return engine[key] === DEFAULTS[key];
}

/** The schema with every rule over several keys attached. */
export function withCrossChecks<Schema extends z.ZodType<Config>>(schema: Schema): Schema {
  return CROSS_CHECKS.reduce(
    (checked, { reads, message, holds }) =>
      checked.refine(holds, {
        error: message,
        path: reads[0].split("."),
        when: ({ issues }) => !issues.some((issue) => spoils(issue, reads)),
      }),
    schema,
  );
}

/** Whether an issue leaves one of these keys without a value to judge. An unknown key beside them does not. */
function spoils(issue: z.core.$ZodRawIssue, keys: readonly string[]): boolean {
  if (issue.code === "unrecognized_keys") return false;
  const at = issue.path?.join(".") ?? "";
  return at === "" || keys.some((key) => key === at || key.startsWith(`${at}.`) || at.startsWith(`${key}.`));
}
