import { resolve } from "node:path";
import { type Config, ConfigError } from "../config/index.js";
import { createSglangEngine, createVllmEngine } from "../engine/index.js";
import { type FolderChatModel, loadChatModel } from "../model/load-chat-model.js";
import { ModelFolderError } from "../model/model-files.js";
import type { NamedEngineOptions } from "./named-engines.js";

type Setting = Config["engines"][number];

interface OpenOptions {
  readonly onWarning: (name: string, message: string) => void;
}

/** The opened entries of `engines`. */
export interface OpenedEngines {
  readonly engines: readonly NamedEngineOptions[];
  /** Closes the engines, and the models that no other engine has. */
  close(): Promise<void>;
}

/**
 * Opens the engines and chat models of the entries of `engines`. Entries with the same folder share one chat model.
 *
 * @param main the model of `model.path`
 * @throws ConfigError that names the entry if a folder has no usable model
 */
export async function openNamedEngines(
  config: Config,
  main: FolderChatModel,
  { onWarning }: OpenOptions,
): Promise<OpenedEngines> {
  const models = new Map([[resolve(main.folder), main]]);
  const engines: NamedEngineOptions[] = [];
  const close = async () => {
    const own = [...models.values()].filter((model) => model !== main);
    await Promise.all([...engines.map(({ engine }) => engine.close()), ...own.map((model) => model.close())]);
  };
  try {
    for (const [i, entry] of config.engines.entries()) {
      const folder = resolve(entry.path ?? main.folder);
      const model = models.get(folder) ?? (await loadModel(folder, config, `engines[${i}].path`));
      models.set(folder, model);
      const options = toOptions(entry, config, (message) => onWarning(entry.name, message));
      const engine = openServers(entry, { ...options, vocabularySize: model.vocabularySize });
      engines.push({ name: entry.name, frozen: entry.frozen, engine, model });
    }
    return { engines, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws ConfigError if an entry of `engines` has the name of the main model */
export function requireOtherNames({ engines }: Config, mainName: string): void {
  const index = engines.findIndex(({ name }) => name === mainName);
  if (index < 0) return;
  const message = `must not be ${mainName}, which is the name of the model of \`engine\`; set \`model.name\` to another one`;
  throw new ConfigError("config_invalid", [{ path: `engines[${index}].name`, message }]);
}

async function loadModel(folder: string, { rollout }: Config, path: string): Promise<FolderChatModel> {
  const { chat_template_kwargs: templateArgs } = rollout.agent;
  const model = await loadChatModel(folder, { templateArgs }).catch((error: unknown) => {
    if (!(error instanceof ModelFolderError)) throw error;
    throw new ConfigError("config_invalid", [{ path, message: error.message }], { cause: error });
  });
  model.warmUp();
  return model;
}

function toOptions(entry: Setting, { engine }: Config, onWarning: (message: string) => void) {
  return {
    urls: entry.urls,
    timeoutSeconds: entry.timeout_seconds,
    maxInflight: entry.max_inflight,
    contextLength: entry.context_length ?? undefined,
    apiKey: entry.api_key ?? undefined,
    maxKeptTokens: engine.sampling_masks ? engine.max_kept_tokens : undefined,
    onWarning,
  };
}

function openServers(
  { type, served_model, admin_api_key }: Setting,
  options: ReturnType<typeof toOptions> & { readonly vocabularySize: number },
) {
  return type === "vllm"
    ? createVllmEngine({ ...options, model: served_model ?? undefined })
    : createSglangEngine({ ...options, adminApiKey: admin_api_key ?? undefined });
}
