import type { Config } from "../config/index.js";
import { type FolderChatModel, loadChatModel } from "../conversation/chat-model.js";
import type { Engine } from "../engine/engine.js";
import { createEmbeddedEngine, createSglangEngine, createVllmEngine, ensureTinyModel } from "../engine/index.js";

/** The engine and the chat model that the configuration names. */
export async function openEngine(
  config: Config,
  onWarning?: (message: string) => void,
): Promise<{ engine: Engine; model: FolderChatModel }> {
  const tiny = config.engine.type === "embedded" && config.engine.model === null ? await ensureTinyModel() : undefined;
  const folder = config.model.path ?? tiny?.folder;
  if (folder === undefined) throw new Error("model.path is not set");
  const { agent } = config.rollout;
  const model = await loadChatModel(folder, {
    templateArgs: agent.chat_template_kwargs,
    toolCallParser: agent.tool_call_parser,
    reasoningParser: agent.reasoning_parser,
  });
  model.warmUp();
  return { engine: await createEngine(config, { tinyGguf: tiny?.gguf, onWarning }), model };
}

interface EngineDetails {
  readonly tinyGguf: string | undefined;
  readonly onWarning: ((message: string) => void) | undefined;
}

async function createEngine(config: Config, { tinyGguf, onWarning }: EngineDetails): Promise<Engine> {
  const { engine } = config;
  return (
    openServers(config, onWarning) ??
    createEmbeddedEngine({
      modelPath: engine.model ?? tinyGguf,
      contextSize: engine.context_length ?? undefined,
      sequences: engine.sequences,
      timeoutSeconds: engine.timeout_seconds,
    })
  );
}

/** Returns the engine if it consists of servers; undefined if it runs in this process. */
export function openServers({ engine }: Config, onWarning?: (message: string) => void): Engine | undefined {
  switch (engine.type) {
    case "sglang":
      return createSglangEngine({
        ...serverOptions(engine),
        adminApiKey: engine.admin_api_key ?? undefined,
        onWarning,
      });
    case "vllm":
      return createVllmEngine({
        ...serverOptions(engine),
        model: engine.served_model ?? undefined,
        api: engine.vllm_api,
      });
    case "embedded":
      return undefined;
  }
}

function serverOptions(engine: Config["engine"]) {
  return {
    urls: engine.urls,
    timeoutSeconds: engine.timeout_seconds,
    connections: engine.connections,
    contextLength: engine.context_length ?? undefined,
    apiKey: engine.api_key ?? undefined,
    healthSeconds: engine.health_seconds,
  };
}
