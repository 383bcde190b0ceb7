import { type MediaPart } from "../conversation/media.js";
import { RequestError } from "./request-error.js";

/** Refuses or replaces images, files and audio in messages and tool results. Prompts contain text only. */
export type ImagePolicy = "refuse" | "placeholder" | "tokens";

/** A part of a request that is not text. */
export interface MediaField {
  /** Path of the part's type, such as `messages[0].content[1].type`. */
  readonly param: string;
  readonly type: string;
  /** True if the prompt contains the part's own text, such as that of a text document. */
  readonly isText?: boolean;
}

/**
 * Returns how many parts the prompt shows as placeholders.
 *
 * @throws RequestError for the first part that is not text if the policy is "refuse"
 */
export function countPlaceholders(found: readonly MediaField[], policy: ImagePolicy = "refuse"): number {
  const [first] = found;
  if (first && policy === "refuse") {
    const advice =
      'Set rollout.agent.images to "placeholder" to show such parts to the model as text, such as [image].';
    const message = `${first.param}: "${first.type}" is not supported, because the model sees text only. ${advice}`;
    throw new RequestError(first.param, message, "unsupported_parameter");
  }
  return found.filter(({ isText = false }) => !isText).length;
}

/** @param path path of the content, such as `messages[0].content` */
export const toMediaFields = (media: readonly MediaPart[], path: string): MediaField[] =>
  media.map(({ index, type }) => ({ param: `${path}[${index}].type`, type }));
