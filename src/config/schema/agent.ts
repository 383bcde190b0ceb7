import { z } from "zod";
import { GIBIBYTE } from "./limits.js";
import { messageFilter } from "./message-filter.js";
import { REASONING_PARSERS, TOOL_CALL_PARSERS } from "./parser-names.js";
import { samplingOverrideSchema } from "./sampling-override.js";
import { usedBy } from "./used-by.js";
import { nullableText, seconds, secretKey } from "./values.js";

const patterns = z
  .array(z.string().max(256))
  .min(1)
  .max(100)
  .nullable()
  .default(null)
  .meta({ expected: "a list of texts" });

/** A host as `URL.host` has it for both schemes, so that it can be compared with those of image addresses. */
const imageHost = z
  .string()
  .refine((host) => ["http:", "https:"].every((scheme) => isHostOf(`${scheme}//${host}`, host)))
  .meta({ expected: "a host in lower case, with its port unless it is 80 or 443" });

const isHostOf = (address: string, host: string): boolean => URL.canParse(address) && new URL(address).host === host;

/** Which model calls the exports of a rollout job train on. */
const exportFiltersSchema = z.strictObject({
  models: patterns.describe(
    "Exports only calls whose request named one of these models. `*` stands for any characters, an empty string for no name. Null: any model. An export call has its own filters.",
  ),
  exclude_models: patterns.describe(
    "Exports no calls whose request named one of these models. Same patterns as `models`.",
  ),
  tags: patterns.describe(
    "Exports only calls with one of these tags (header `x-rolltape-tag`). `*` stands for any characters, an empty string for no tag. Null: any tag.",
  ),
  roots: z
    .enum(["all", "rewarded"])
    .default("all")
    .describe(
      "`rewarded`: exports only conversation trees that have a reward. A session reward counts for all trees of its session.",
    ),
  overlong: z
    .enum(["keep", "drop"])
    .default("keep")
    .describe("`drop`: exports no calls whose output a token limit cut (finish reason `length`)."),
});

/** Sessions of agents: lifetime, access, prompts, rewards and export. */
export const agentSchema = z.strictObject({
  mode: z
    .enum(["inline", "subproc"])
    .default("inline")
    .describe("Where agents run: `inline` in the rollout worker's process, `subproc` in a pool of subprocesses.")
    .meta(usedBy("worker", "choice of mode")),
  subproc_max_workers: z
    .int()
    .min(1)
    .max(256)
    .default(4)
    .describe("Maximum number of subprocesses in that pool, and of processes of a Python agent.")
    .meta(usedBy("worker", "subprocesses")),
  python: nullableText
    .describe(
      "Python interpreter of Python agents. Null: that of the active virtual environment (`VIRTUAL_ENV`), else `python3`.",
    )
    .meta(usedBy("worker", "Python agent")),
  tasks_per_worker: z
    .int()
    .min(1)
    .max(4096)
    .default(128)
    .describe("Maximum number of tasks that an asynchronous Python agent runs at once in a process.")
    .meta(usedBy("worker", "Python agent")),
  admin_api_key: secretKey
    .nullable()
    .default(null)
    .describe(
      "Admin key. Null: the environment variable `ROLLTAPE_ADMIN_API_KEY`; if that is unset, a random key is written to `rollout.agent.key_file`.",
    )
    .meta({ writeOnly: true })
    .meta(usedBy(["proxy", "gateway", "rollout", "worker"])),
  key_file: nullableText.describe(
    "File for a random admin key, readable by its owner only. Null: `admin-key-<port>` in the cache folder (`$ROLLTAPE_CACHE_DIR`, else `$XDG_CACHE_HOME/rolltape`, else `~/.cache/rolltape`).",
  ),
  session_timeout_seconds: seconds
    .gt(0)
    .default(3600)
    .describe("Seconds without a call after which a session expires: its data is freed and its key is revoked."),
  drain_seconds: seconds
    .default(5)
    .describe("Seconds that an export waits for model calls in flight before it aborts them."),
  export_retention_seconds: seconds
    .default(300)
    .describe("Seconds during which an exported session can be exported again."),
  export_retention_bytes: z
    .int()
    .min(0)
    .default(GIBIBYTE)
    .describe("Maximum memory for exported sessions that can be exported again, in bytes."),
  turn_discount: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe("Share of a turn's reward that its parent turn receives. An export call has a discount of its own.")
    .meta(usedBy("rollout")),
  export_style: z
    .enum(["individual", "concat"])
    .default("individual")
    .describe(
      "Rows of an export: one per interaction (`individual`), or one per leaf of the conversation tree (`concat`). An export call has a style of its own.",
    )
    .meta(usedBy("rollout")),
  concat_reward: z
    .enum(["leaf", "return"])
    .default("leaf")
    .describe(
      "Reward of a row in export style `concat`. `leaf`: reward of the row's last turn; rewards set on earlier turns are not counted. `return`: discounted sum of the rewards set on all turns of the row. An export call has its own.",
    )
    .meta(usedBy("rollout")),
  export_filters: exportFiltersSchema.meta(usedBy("rollout")).prefault({}),
  reward_scope: z
    .enum(["interaction", "session"])
    .default("interaction")
    .describe(
      "Target of a reward that an agent returns as a number. `interaction`: the last completed call. `session`: the whole session, so that the reward does not depend on which call, such as a title or a sub-agent's, came last. A mapping from completion ids always rewards those calls.",
    )
    .meta(usedBy("rollout")),
  chat_template_type: z
    .enum(["hf", "concat"])
    .default("hf")
    .describe(
      "`hf`: the chat template renders each prompt. `concat`: a prompt extends its parent's tokens exactly as they were generated. `rolltape rollout` and helpers that start a server use `concat` if nothing is configured and the chat template allows it.",
    ),
  chat_template_kwargs: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ expected: "a map of variables" })
    .describe(
      "Variables for the chat template, such as `enable_thinking: false`. Values in a request's own `chat_template_kwargs` take precedence.",
    ),
  enforce_strict_tools: z
    .boolean()
    .default(false)
    .describe(
      "Samples calls of tools with `strict: true` under a grammar of their schema. Off by default, because agent SDKs set `strict` by default and a grammar changes the sampled distribution.",
    ),
  server_tools: z
    .enum(["refuse", "drop"])
    .default("refuse")
    .describe(
      "Tools that only the API's own server can run, such as web searches. `refuse`: requests with such tools are refused with 400. `drop`: the prompt leaves them out, and the header `x-rolltape-dropped-tools` and the row column `dropped_tools` name them.",
    ),
  images: z
    .enum(["auto", "tokens", "placeholder", "refuse"])
    .default("auto")
    .describe(
      "Images, files and audio in user messages and tool results. `tokens`: the model sees images, and the prompt has their tokens; files and audio are refused. It needs vLLM, or SGLang with a model of the Qwen-VL or GLM-4V family. `placeholder`: the prompt has `[image]`, `[file]` or `[audio]` in their place, and the header `x-rolltape-placeholders` and the row column `placeholders` have their number; Gemini's API refuses them. `refuse`: requests with such parts are refused with 400. `auto`: `tokens` if model and engine allow it, otherwise `refuse`.",
    ),
  image_urls: z
    .enum(["refuse", "fetch"])
    .default("refuse")
    .describe(
      "Images that requests name by an http or https address. `refuse`: images must be sent as data. `fetch`: the server fetches them from public addresses, with limits on size and time. It needs `images: tokens`.",
    ),
  image_hosts: z
    .array(imageHost)
    .default([])
    .describe(
      "Hosts from which `image_urls: fetch` fetches even if their addresses are not public, such as `minio.internal:9000`. The port is left out if it is the scheme's default. Agents can send GET requests for any path to these hosts.",
    ),
  message_filters: z
    .array(messageFilter)
    .default([])
    .describe(
      "Regular expressions for volatile text. Text that matches is ignored when searching for a parent interaction. They run in linear time (RE2); look-arounds and back-references need `{pattern: …, unsafe: true}`.",
    ),
  sampling_override: samplingOverrideSchema.prefault({}),
  engine_max_tokens: z
    .int()
    .min(1)
    .nullable()
    .default(null)
    .describe("Maximum tokens of prompt and output together in one call. Null: the engine's context length."),
  tool_call_parser: z
    .enum(["auto", "none", ...TOOL_CALL_PARSERS])
    .default("auto")
    .describe(
      "Syntax of the model's tool calls. `auto`: detected from its chat template and config.json. `none`: calls are left in the text.",
    ),
  reasoning_parser: z
    .enum(["auto", "none", ...REASONING_PARSERS])
    .default("auto")
    .describe(
      "Syntax of the model's reasoning. `auto`: detected from its chat template and vocabulary. `none`: reasoning is left in the text.",
    ),
});
