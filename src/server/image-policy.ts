import { type Config, ConfigError } from "../config/index.js";
import type { Engine } from "../engine/engine.js";
import type { ChatModel } from "../model/chat-model.js";
import { ImageTokens } from "../model/images/image-tokens.js";
import type { CallServices } from "./services.js";

type ImageEngine = Pick<Engine, "supports" | "type" | "expandImage">;

/**
 * Returns the configuration with a value of `rollout.agent.images` that is not `auto`.
 *
 * @throws ConfigError if `images` is `tokens`, but the model or the engine takes no images, or if `image_urls` is `fetch`, but prompts
 *   have no images
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

/** Returns why prompts cannot have images; undefined if they can. */
function findProblem(
  { images, folder }: Pick<ChatModel, "images" | "folder">,
  { supports, type, expandImage }: ImageEngine,
): string | undefined {
  if (!supports.images) return `the engine (${type}) takes no images`;
  if (!images) {
    return `the model in ${folder} takes no images: config.json must have image_token_id, and preprocessor_config.json the image processor. Gemma 3 is not supported`;
  }
  if (images.canCount || expandImage) return undefined;
  return `the number of an image's tokens can be computed for Qwen-VL and GLM-4V only, and the engine (${type}) does not report it`;
}

/**
 * Opens the image tokens of the model; undefined if prompts have no images.
 *
 * @param warn called once if the engine's tokens differ from those that follow from the model's files
 */
export function openImageTokens(
  { model, engine, settings }: Pick<CallServices, "model" | "engine" | "settings">,
  warn: (message: string) => void,
): ImageTokens | undefined {
  if (settings.images !== "tokens" || !model.images) return undefined;
  return new ImageTokens(model.images, { engineTells: engine.expandImage !== undefined, warn });
}
