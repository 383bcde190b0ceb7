import { z } from "zod";
import { GIBIBYTE } from "./limits.js";
import { REASONING_PARSERS, TOOL_CALL_PARSERS } from "./parser-names.js";
import { samplingOverrideSchema } from "./sampling-override.js";
import { filterPattern, optionalText, seconds, secretKey } from "./values.js";

/** Sessions of agents: how long they live, who may open them, how their calls become prompts and their tree an export. */
export const agentSchema = z.strictObject({
  mode: z
    .enum(["inline", "subproc"])
    .default("inline")
    .describe(
      "Where an agent runs: in the rollout worker's process, or in a pool of subprocesses. Read by rollout jobs; `serve` does nothing with it.",
    ),
  subproc_max_workers: z
    .int()
    .min(1)
    .max(256)
    .default(4)
    .describe("Size of that pool. Read by rollout jobs; `serve` does nothing with it."),
  admin_api_key: secretKey
    .nullable()
    .default(null)
    .describe(
      "Admin key. Null takes the environment variable `ROLLTAPE_ADMIN_API_KEY`, " +
        "without which a random key is written to `rollout.agent.key_file`.",
    )
    .meta({ writeOnly: true }),
  key_file: optionalText.describe(
    "File that a random admin key is written to, readable by its owner only; null takes `admin-key-<port>` in the " +
      "cache folder (`$ROLLTAPE_CACHE_DIR`, else `$XDG_CACHE_HOME/rolltape`, else `~/.cache/rolltape`).",
  ),
  session_timeout_seconds: seconds
    .gt(0)
    .default(3600)
    .describe("A session that saw no call for this long expires: its data is freed, its key revoked."),
  drain_seconds: seconds
    .default(5)
    .describe("How long an export waits for the session's calls in flight before it aborts them."),
  export_retention_seconds: seconds.default(300).describe("How long an exported session can be exported again."),
  export_retention_bytes: z.int().min(0).default(GIBIBYTE).describe("Bytes kept at most for exports to be repeated."),
  shared_memory_directory: z
    .string()
    .regex(/^\//)
    .default("/dev/shm")
    .meta({ expected: "an absolute path" })
    .describe("Where batches that are exported with `transport: shm` are files; a file system in memory."),
  shared_memory_bytes: z
    .int()
    .min(1)
    .default(4 * GIBIBYTE)
    .describe("Memory that these files take at most."),
  turn_discount: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      "Share of a turn's reward that its parent turn receives. Read by rollout jobs; `serve` does nothing with it. An export names its own discount.",
    ),
  export_style: z
    .enum(["individual", "concat"])
    .default("individual")
    .describe(
      "Rows of an export: one for every interaction, or one for every leaf of the conversation tree. Read by rollout jobs; `serve` does nothing with it. An export names its own style.",
    ),
  concat_reward: z
    .enum(["leaf", "return"])
    .default("leaf")
    .describe(
      "Reward of a row of export style `concat`. `leaf`: that of its last turn; own rewards of earlier turns are not counted. `return`: the discounted sum of the own rewards of its turns. Read by rollout jobs; `serve` does nothing with it. An export names its own.",
    ),
  reward_scope: z
    .enum(["interaction", "session"])
    .default("interaction")
    .describe(
      "What a number that an agent returns rewards. `interaction`: the last completed call. `session`: the session as a whole, so that side calls (titles, sub-agents, compaction) do not take the reward from the tree that did the work. A mapping of completion ids always rewards its calls. Read by rollout jobs; `serve` does nothing with it.",
    ),
  chat_template_type: z
    .enum(["hf", "concat"])
    .default("hf")
    .describe(
      "`hf`: a prompt is what the chat template renders. `concat`: it continues the parent's tokens exactly as generated.",
    ),
  chat_template_kwargs: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ expected: "a map of variables" })
    .describe(
      "Variables for the chat template, such as `enable_thinking: false`. A request's own `chat_template_kwargs` win, key by key.",
    ),
  enforce_strict_tools: z
    .boolean()
    .default(false)
    .describe(
      "Whether calls of tools with `strict: true` are sampled under a grammar of their schema. Agents' SDKs set `strict` of their own accord, and a policy that is trained so is not the one that is sampled without.",
    ),
  message_filters: z
    .array(filterPattern)
    .default([])
    .describe("Regular expressions (flags `gu`) of volatile text that is not compared when a parent is looked for."),
  sampling_override: samplingOverrideSchema.prefault({}),
  engine_max_tokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Tokens of prompt and output together in one call; null takes the engine's context length."),
  tool_call_parser: z
    .enum(["auto", "none", ...TOOL_CALL_PARSERS])
    .default("auto")
    .describe(
      "How the model writes tool calls. `auto`: what its chat template and config.json say; `none`: calls are left in the text.",
    ),
  reasoning_parser: z
    .enum(["auto", "none", ...REASONING_PARSERS])
    .default("auto")
    .describe(
      "How the model writes reasoning. `auto`: as its chat template and vocabulary; `none`: it is left in the text.",
    ),
});
