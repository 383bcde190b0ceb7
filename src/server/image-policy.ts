import { type Config, ConfigError } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";

/**
 * Returns the configuration with a value of `rollout.agent.images` that is not `auto`.
 *
 * @throws ConfigError if `tokens` is configured, but the model or the engine takes no images
 */
export function withImagePolicy(
  config: Config,
  {
    model,
    engine,
  }: { readonly model: Pick<ChatModel, "images" | "folder">; readonly engine: Pick<Engine, "supports" | "type"> },
): Config {
  const { rollout } = config;
  const { images } = rollout.agent;
  const problem = findProblem(model, engine);
  if (images === "tokens" && problem !== undefined) {
    throw new ConfigError("config_invalid", [
      { path: "rollout.agent.images", message: `must not be \`tokens\`: ${problem}` },
    ]);
  }
  if (images !== "auto") return config;
  const chosen = problem === undefined ? "tokens" : "refuse";
  return { ...config, rollout: { ...rollout, agent: { ...rollout.agent, images: chosen } } };
}

function findProblem(
  { images, folder }: Pick<ChatModel, "images" | "folder">,
  { supports, type }: Pick<Engine, "supports" | "type">,
): string | undefined {
  if (!supports.images) return `the engine (${type}) takes no images`;
  if (images) return undefined;
  return `${folder} is no model of the Qwen-VL family: config.json needs image_token_id, and preprocessor_config.json the image processor`;
}
