import { type CallImage, EngineError, type GenerateCall } from "../engine.js";
import type { ServerConnections } from "../servers/wire/connections.js";
import { toDataUrl } from "../servers/wire/image-body.js";
import { jsonObject } from "../servers/wire/json.js";

/** Time limit of the request. A busy server begins late with it. */
const PROBE_MS = 60_000;

/** Tokens among which a pair is searched. Vocabularies have the shortest tokens first. */
const SEARCHED_TOKENS = 4096;

const TOKENIZES_AGAIN =
  "The SGLang server decodes the ids of prompts with images and tokenizes the text again, so their recorded tokens would not be those " +
  "that it ran. Update it to a version of June 2026 or later.";

/**
 * Finds out whether a server runs prompts with images as they are sent: once, with two tokens that a tokenizer would join. A prompt of a
 * later call shows it by its number of tokens only if its text has other tokens too.
 */
export class PromptProbe {
  readonly #connections: ServerConnections;
  #done: Promise<void> | undefined;

  constructor(connections: ServerConnections) {
    this.#connections = connections;
  }

  /**
   * @param image an image of the call
   * @throws EngineError if the server does not, or does not answer
   */
  require(call: GenerateCall, image: CallImage): Promise<void> {
    this.#done ??= this.#probe(call, image).catch((error: unknown) => {
      this.#done = undefined;
      throw error;
    });
    return this.#done;
  }

  async #probe({ prompt, tokenBytes }: GenerateCall, image: CallImage): Promise<void> {
    const pair = tokenBytes && findJoinedPair(tokenBytes);
    if (!pair) return;
    const { offset, length } = image;
    const tokens = prompt.tokens();
    // With the tokens before and after the image, without which some models do not find it.
    const ids = [
      ...pair,
      ...tokens.subarray(Math.max(0, offset - 1), offset + 1),
      ...tokens.subarray(offset + length).subarray(0, 1),
    ];
    const { status, body } = await this.#connections.control({
      method: "POST",
      path: "generate",
      body: { input_ids: ids, image_data: [toDataUrl(image)], sampling_params: { max_new_tokens: 1 } },
      timeoutMilliseconds: PROBE_MS,
    });
    if (status !== 200) return;
    const { prompt_tokens: count } = Object(jsonObject(body)["meta_info"]) as { readonly prompt_tokens?: unknown };
    // All tokens of the image take the place of one, and the pair has become one token.
    if (count === ids.length - 1 + length - 1) throw new EngineError("engine_error", TOKENIZES_AGAIN);
  }
}

/** Returns two tokens whose bytes together are another token; undefined if none of the shortest ones are. */
function findJoinedPair(tokenBytes: (id: number) => Uint8Array): readonly [number, number] | undefined {
  const ids = new Map<string, number>();
  for (let id = 0; id < SEARCHED_TOKENS; id++) ids.set(readLetters(tokenBytes, id), id);
  for (const text of ids.keys()) {
    if (text.length !== 2) continue;
    const [first, second] = [ids.get(text.charAt(0)), ids.get(text.charAt(1))];
    if (first !== undefined && second !== undefined) return [first, second];
  }
  return undefined;
}

/** Returns the text of a token that consists of small letters; an empty text for others, and for ids beyond the vocabulary. */
function readLetters(tokenBytes: (id: number) => Uint8Array, id: number): string {
  try {
    const text = Buffer.from(tokenBytes(id)).toString("latin1");
    return /^[a-z]{1,2}$/.test(text) ? text : "";
  } catch {
    return "";
  }
}
