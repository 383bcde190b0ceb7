import type { ImageFiles, ImagePart } from "../../conversation/content.js";
import type { Message } from "../../conversation/message.js";
import { type CallImage, EngineError } from "../../engine/engine.js";
import { expandImages } from "../../model/images/expand-images.js";
import type { Session } from "../../session/session.js";
import type { PromptTokens } from "../../session/turn/turn.js";
import type { Call, Prompted } from "./call.js";

/**
 * Replaces the image tokens of a prompt by all tokens of the images. The template shows one image token for each image.
 *
 * @param source see {@link ImageTokens.find}
 * @throws ImagePromptError if the prompt does not show each image of the conversation once; EngineError if the engine must be asked for
 *   the tokens and does not answer
 */
export async function expandPrompt(
  { services: { imageTokens, engine, model }, session, turn, request, abort }: Prompted,
  prompt: PromptTokens,
  source?: "engine",
): Promise<PromptTokens> {
  if (!imageTokens) return prompt;
  // The tokens that the prompt continues contain the first images of the conversation.
  const before = prompt.continues ? (session.interaction(prompt.continues.index).images ?? []) : [];
  const added = listImages(turn.messages).slice(before.length);
  const start = turn.countTokens({ ...prompt, pieces: [] });
  const { tokenId } = imageTokens.model;
  const ask = async (image: ImagePart) => {
    const { sha256, mediaType } = image;
    const encoded = { sha256, mediaType, file: findFile(image, session, request.images) };
    const ids = await engine.expandImage?.(encoded, { tokenId, affinityKey: session.id, abort });
    if (!ids?.every((id) => id >= 0 && id < model.vocabularySize)) {
      throw new EngineError(
        "engine_error",
        "The engine names tokens of an image that are not in the model's vocabulary.",
      );
    }
    return ids;
  };
  const tokens = await imageTokens.find(added, ask, source);
  const { pieces, images } = expandImages({ tokenId, tokens }, prompt.pieces, added, start);
  const all = [...before, ...images];
  return all.length === 0 ? prompt : { ...prompt, pieces, images: all };
}

function listImages(messages: readonly Message[]): ImagePart[] {
  return messages.flatMap(({ content }) =>
    typeof content === "string" ? [] : content.filter((part) => part.type === "image"),
  );
}

/** Returns the images of a call's prompt with their files; undefined if the prompt has none. */
export function loadImages({ turn, request, session }: Call): CallImage[] | undefined {
  return turn.images?.map((image) => {
    const { offset, length, sha256, mediaType } = image;
    return { offset, length, sha256, mediaType, file: findFile(image, session, request.images) };
  });
}

/** Finds a file in the request, or in the session if the request does not repeat an earlier image. */
function findFile({ sha256 }: Pick<ImagePart, "sha256">, session: Session, files: ImageFiles | undefined): Uint8Array {
  const file = files?.get(sha256) ?? session.imageFile(sha256);
  if (!file) throw new Error(`the file of image ${sha256} is missing`);
  return file;
}
