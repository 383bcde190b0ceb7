import { access, constants } from "node:fs/promises";
import { type Config, ConfigError } from "../config/index.js";
import { type Engine, EngineError } from "../engine/engine.js";
import {
  createEmbeddedEngine,
  createSglangEngine,
  createVllmEngine,
  ensureTinyModel,
  type TinyModel,
} from "../engine/index.js";
import { expertBytes } from "../engine/servers/call/token-values.js";
import type { ModelExperts } from "../model/experts.js";
import { type FolderChatModel, loadChatModel } from "../model/load-chat-model.js";
import { ModelFolderError } from "../model/model-files.js";
import { requireRegularFile } from "../support/regular-file.js";

/**
 * Opens the engine and the chat model that the configuration names.
 *
 * @throws ConfigError that names `model.path` or `engine.model` if there is no usable model
 */
export async function openEngine(
  config: Config,
  onWarning?: (message: string) => void,
): Promise<{ engine: Engine; model: FolderChatModel }> {
  const tiny = await ensureConfiguredTinyModel(config);
  const folder = config.model.path ?? tiny?.folder;
  if (folder === undefined) throw invalidConfig("model.path", "must be set to the folder of the model");
  const { agent } = config.rollout;
  const model = await loadChatModel(folder, {
    templateArgs: agent.chat_template_kwargs,
    toolCallParser: agent.tool_call_parser,
    reasoningParser: agent.reasoning_parser,
  }).catch((error: unknown) => {
    throw error instanceof ModelFolderError ? invalidConfig("model.path", error.message, error) : error;
  });
  model.warmUp();
  try {
    refuseMasks(config);
    requireTokenIds(config, model);
    const { vocabularySize } = model;
    const details = { tinyGguf: tiny?.gguf, experts: chooseExperts(config, model), vocabularySize, onWarning };
    return { engine: await createEngine(config, details), model };
  } catch (error) {
    // Node aborts a process that exits while the model's threads start.
    await model.close();
    throw error;
  }
}

interface EngineDetails {
  readonly tinyGguf: string | undefined;
  readonly experts: ModelExperts | undefined;
  readonly vocabularySize: number;
  readonly onWarning: ((message: string) => void) | undefined;
}

/** Returns the folder of the configured model; undefined if there is none. */
export async function findModelFolder(config: Pick<Config, "engine" | "model">): Promise<string | undefined> {
  return config.model.path ?? (await ensureConfiguredTinyModel(config))?.folder;
}

/** Returns the tiny model if the configuration uses it. */
async function ensureConfiguredTinyModel({ engine }: Pick<Config, "engine">): Promise<TinyModel | undefined> {
  return engine.type === "embedded" && engine.model === null ? ensureTinyModel() : undefined;
}

/** An id has at most two bytes. */
const MAX_EXPERTS = 65_536;
/** Of a channel. */
const MAX_ITEM_BYTES = 65_536;

/** @throws ConfigError if routed experts are configured, but the engine or the model has none */
function chooseExperts({ engine }: Config, { folder, experts }: FolderChatModel): ModelExperts | undefined {
  if (!engine.routed_experts) return undefined;
  if (engine.type === "embedded") {
    throw invalidConfig(
      "engine.routed_experts",
      "requires `engine.type=sglang` or `vllm`: the embedded engine has none",
    );
  }
  if (!experts) {
    const fields = "num_hidden_layers, num_experts_per_tok and num_experts, num_local_experts or n_routed_experts";
    throw invalidConfig(
      "engine.routed_experts",
      `requires a mixture-of-experts model: ${folder}/config.json must have ${fields}`,
    );
  }
  if (experts.experts > MAX_EXPERTS || expertBytes(experts) > MAX_ITEM_BYTES) {
    const sizes = `${experts.layers} layers with ${experts.topK} of ${experts.experts} experts`;
    throw invalidConfig("engine.routed_experts", `cannot record the experts of ${folder}: ${sizes} are too many`);
  }
  return experts;
}

/** @throws ConfigError if sampling masks are configured, but the engine returns none */
function refuseMasks({ engine }: Config): void {
  if (!engine.sampling_masks || engine.type !== "embedded") return;
  throw invalidConfig(
    "engine.sampling_masks",
    "requires `engine.type=sglang` or `vllm`: the embedded engine returns none",
  );
}

/** @throws ConfigError if the engine cannot return the log probabilities of the configured tokens */
function requireTokenIds({ engine }: Config, { vocabularySize }: FolderChatModel): void {
  const { type, token_ids_logprob: ids, top_logprobs } = engine;
  if (ids.length === 0) return;
  const refuse = (message: string) => invalidConfig("engine.token_ids_logprob", message);
  if (type === "embedded") throw refuse("requires `engine.type=sglang` or `vllm`: the embedded engine has none");
  if (type === "vllm" && top_logprobs > 0) {
    throw refuse("requires `engine.top_logprobs=0` with vLLM, which returns either of them");
  }
  const unknown = ids.find((id) => id >= vocabularySize);
  if (unknown !== undefined) throw refuse(`must have token ids below ${vocabularySize}; received ${unknown}`);
}

async function createEngine(config: Config, { tinyGguf, ...details }: EngineDetails): Promise<Engine> {
  return openServers(config, details) ?? (await openEmbedded(config.engine, tinyGguf));
}

/** Returns the engine if it consists of servers; undefined if it runs in this process. */
export function openServers(
  { engine }: Config,
  { experts, vocabularySize, onWarning }: Partial<Omit<EngineDetails, "tinyGguf">> = {},
): Engine | undefined {
  const options = { ...toServerOptions(engine), routedExperts: experts, vocabularySize, onWarning };
  switch (engine.type) {
    case "sglang":
      return createSglangEngine({ ...options, adminApiKey: engine.admin_api_key ?? undefined });
    case "vllm":
      return createVllmEngine({ ...options, model: engine.served_model ?? undefined });
    case "embedded":
      return undefined;
  }
}

async function openEmbedded(engine: Config["engine"], tinyGguf: string | undefined): Promise<Engine> {
  const { model } = engine;
  try {
    if (model !== null) {
      await requireRegularFile(model);
      await access(model, constants.R_OK);
    }
    return await createEmbeddedEngine({
      modelPath: model ?? tinyGguf,
      contextSize: engine.context_length ?? undefined,
      sequences: engine.sequences,
      timeoutSeconds: engine.timeout_seconds,
    });
  } catch (error) {
    if (model === null || error instanceof EngineError) throw error;
    throw invalidConfig(
      "engine.model",
      `${model} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      error,
    );
  }
}

function invalidConfig(path: string, message: string, cause?: unknown): ConfigError {
  return new ConfigError("config_invalid", [{ path, message }], { cause });
}

function toServerOptions(engine: Config["engine"]) {
  return {
    urls: engine.urls,
    timeoutSeconds: engine.timeout_seconds,
    maxInflight: engine.max_inflight,
    contextLength: engine.context_length ?? undefined,
    apiKey: engine.api_key ?? undefined,
    maxKeptTokens: engine.sampling_masks ? engine.max_kept_tokens : undefined,
    tokenIdsLogprob: engine.token_ids_logprob,
  };
}
