import type { ImagePart } from "../../conversation/content.js";
import type { Message } from "../../conversation/message.js";
import type { CallImage } from "../../engine/engine.js";
import { expandImages } from "../../model/images/expand-images.js";
import type { ImageModel } from "../../model/images/image-model.js";
import type { PromptTokens } from "../../session/turn/turn.js";
import type { CallServices } from "../services.js";
import type { Call, Prompted } from "./call.js";

/** Returns how the model sees images; undefined if prompts have none. */
export function imageModel({ model, settings }: Pick<CallServices, "model" | "settings">): ImageModel | undefined {
  return settings.images === "tokens" ? model.images : undefined;
}

/**
 * Replaces the image tokens of a prompt, one for each image as the template shows them, by all tokens of the images.
 *
 * @throws ImagePromptError if the prompt does not show each image of the conversation once
 */
export function expandPrompt({ services, session, turn }: Prompted, tokens: PromptTokens): PromptTokens {
  const model = imageModel(services);
  if (!model) return tokens;
  const { continues } = tokens;
  const before = continues ? (session.interaction(continues.index).images ?? []) : [];
  const added = listImages(turn.messages).slice(before.length);
  const start = turn.countTokens({ ...tokens, pieces: [] });
  const { pieces, images } = expandImages(model, tokens.pieces, added, start);
  const all = [...before, ...images];
  return all.length === 0 ? tokens : { ...tokens, pieces, images: all };
}

function listImages(messages: readonly Message[]): ImagePart[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((part) => part.type === "image"),
  );
}

/** Returns the images of a call's prompt with their files; undefined if it has none. A request need not repeat those of earlier ones. */
export function loadImages({ turn, request, session }: Call): CallImage[] | undefined {
  return turn.images?.map(({ offset, length, sha256, mediaType }) => {
    const file = request.images?.get(sha256) ?? session.imageFile(sha256);
    if (!file) throw new Error(`the file of image ${sha256} is missing`);
    return { offset, length, sha256, mediaType, file };
  });
}
