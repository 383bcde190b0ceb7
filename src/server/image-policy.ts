import { type Config, ConfigError } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
import { ImageTokens } from "../model/images/image-tokens.js";
import type { CallServices } from "./services.js";

type ImageEngine = Pick<Engine, "supports" | "type" | "expandImage">;

/**
 * Returns the configuration with a value of `rollout.agent.images` that is not `auto`.
 *
 * @throws ConfigError if `tokens` is configured, but the model or the engine takes no images; if images are to be fetched that prompts
 * do not have
 */
export function withImagePolicy(
  config: Config,
  { model, engine }: { readonly model: Pick<ChatModel, "images" | "folder">; readonly engine: ImageEngine },
): Config {
  const { rollout } = config;
  const { images, image_urls } = rollout.agent;
  const problem = findProblem(model, engine);
  if (images === "tokens" && problem !== undefined) throw invalid("images", `must not be \`tokens\`: ${problem}`);
  const chosen = images !== "auto" ? images : problem === undefined ? "tokens" : "refuse";
  if (image_urls === "fetch" && chosen !== "tokens") {
    const reason = images === "auto" ? `: ${problem}` : "";
    throw invalid("image_urls", `must not be \`fetch\`, because \`images\` is \`${chosen}\`${reason}`);
  }
  if (images !== "auto") return config;
  return { ...config, rollout: { ...rollout, agent: { ...rollout.agent, images: chosen } } };
}

function invalid(key: "images" | "image_urls", message: string): ConfigError {
  return new ConfigError("config_invalid", [{ path: `rollout.agent.${key}`, message }]);
}

function findProblem(
  { images, folder }: Pick<ChatModel, "images" | "folder">,
  { supports, type, expandImage }: ImageEngine,
): string | undefined {
  if (!supports.images) return `the engine (${type}) takes no images`;
  if (!images) {
    return `${folder} has no images: config.json needs image_token_id, and preprocessor_config.json the image processor. Gemma 3 is not supported`;
  }
  if (images.counts || expandImage) return undefined;
  return `how many tokens an image has is known for Qwen-VL and GLM-4V only, and the engine (${type}) does not tell`;
}

/**
 * Returns the tokens of images; undefined if prompts have none.
 *
 * @param warn called once if the engine has other tokens than the model's files say
 */
export function openImageTokens(
  { model, engine, settings }: Pick<CallServices, "model" | "engine" | "settings">,
  warn: (message: string) => void,
): ImageTokens | undefined {
  if (settings.images !== "tokens" || !model.images) return undefined;
  return new ImageTokens(model.images, { engineTells: engine.expandImage !== undefined, warn });
}
