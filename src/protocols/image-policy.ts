import type { ImageFiles, MessageContent, MessagePart } from "../conversation/content.js";
import { type MediaPart, type ReadContent, showContent, toPlaceholder } from "../conversation/media.js";
import { ImageReader, type ImageSources } from "./image-reader.js";
import { RequestError } from "./request-error.js";

/**
 * How images, files and audio in messages and tool results get into prompts. `refuse`: they are refused. `placeholder`: a text stands for
 * each of them. `tokens`: the prompt has the tokens of images, and files and audio are refused.
 */
export type ImagePolicy = "refuse" | "placeholder" | "tokens";

/** The policies of a request that concern images. */
export interface ImagePolicies extends ImageSources {
  /** Default: `refuse`. */
  readonly images?: ImagePolicy;
}

/** Reads the images, files and audio of one request according to its policy. */
export class MediaReader {
  readonly #policy: ImagePolicy;
  readonly #images: ImageReader;
  #placeholders = 0;

  constructor({ images: policy = "refuse", imageUrls, takenImages }: ImagePolicies) {
    this.#policy = policy;
    this.#images = new ImageReader({ imageUrls, takenImages });
  }

  /** Number of parts that the prompt shows as placeholders. */
  get placeholders(): number {
    return this.#placeholders;
  }

  /** Files of the images that were read; undefined if there were none. */
  get images(): ImageFiles | undefined {
    const { files } = this.#images;
    return files.size === 0 ? undefined : files;
  }

  /**
   * @param path path of the content, such as `messages[0].content`
   * @throws RequestError for the first part that cannot be shown
   */
  readContent(content: ReadContent, path: string): MessageContent {
    return showContent(content, (part, index) => this.readPart(part, `${path}[${index}]`));
  }

  /**
   * @param path path of the part, such as `messages[0].content[1]`
   * @param param the field that the error names if the policy refuses the part
   * @throws RequestError if the policy refuses the part, or its image cannot be read
   */
  readPart(part: MediaPart, path: string, param = `${path}.type`): MessagePart {
    if (this.#policy === "refuse")
      throw refusal(part, param, part.image ? `${ADVICE}, or to "tokens" if the model sees images.` : `${ADVICE}.`);
    if (this.#policy === "tokens" && part.image) return this.#images.read(part.image, path);
    if (part.text !== undefined) return { type: "text", text: part.text };
    if (this.#policy === "tokens") throw refusal(part, param, " The server takes texts and images.");
    this.#placeholders++;
    return { type: "text", text: toPlaceholder(part.kind) };
  }
}

const ADVICE =
  ' The server takes only text. Set rollout.agent.images to "placeholder" to show such parts to the model as text, such as [image]';

function refusal({ type }: MediaPart, param: string, advice: string): RequestError {
  const message = `${param}: "${type}" is not supported.${advice}`;
  return new RequestError(param, message, "unsupported_parameter");
}
