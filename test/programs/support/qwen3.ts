import { LibraryTokenizer } from "../../../src/model/tokenizer/library-tokenizer.js";
import { writeModelFolder } from "../../model/support/model-folder.js";
import { publishedTemplate } from "../../model/support/published-templates.js";
import { publishedTokenizerFiles } from "../../model/support/published-tokenizers.js";

const STOPS = ["<|im_end|>", "<|endoftext|>"];
const CONTEXT = 262_144;

let loaded:
  | { readonly files: ReturnType<typeof publishedTokenizerFiles>; readonly tokenizer: LibraryTokenizer }
  | undefined;

/** Loads the tokenizer once, because that takes a second. */
function load() {
  if (loaded) return loaded;
  const files = publishedTokenizerFiles("qwen3");
  loaded = { files, tokenizer: new LibraryTokenizer(files.tokenizer, files.config) };
  return loaded;
}

/** The token that stands for images. Qwen3's vocabulary has it, although the model sees none. */
export const IMAGE_TOKEN = 151_655;

/** Shows the content of a message as the templates of Qwen's models with images do. */
const SHOW = `{%- macro show(content) %}
{%- if content is string or content is none %}{{- content }}
{%- else %}{%- for part in content %}
{%- if part.type == 'image' %}{{- '<|vision_start|><|image_pad|><|vision_end|>' }}{%- else %}{{- part.text }}{%- endif %}
{%- endfor %}{%- endif %}
{%- endmacro %}`;

const VISION_FILES = {
  "config.json": {
    model_type: "qwen3_vl",
    max_position_embeddings: CONTEXT,
    image_token_id: IMAGE_TOKEN,
    video_token_id: IMAGE_TOKEN + 1,
  },
  "preprocessor_config.json": {
    image_processor_type: "Qwen2VLImageProcessor",
    patch_size: 14,
    merge_size: 2,
    min_pixels: 3136,
    max_pixels: 12_845_056,
  },
};

/**
 * Writes a model folder with the tokenizer and the chat template of Qwen3. It is removed when the test ends.
 *
 * @param seesImages the template shows the images of messages, as those of the models with images do
 */
export function writeQwen3Folder(seesImages = false): string {
  const { files, tokenizer } = load();
  const published = publishedTemplate("Qwen-Qwen3-0.6B");
  const template = seesImages ? SHOW + published.replaceAll("message.content", "show(message.content)") : published;
  return writeModelFolder(template, [], {
    "tokenizer.json": files.tokenizer,
    "tokenizer_config.json": { ...files.config, chat_template: undefined },
    "generation_config.json": { eos_token_id: STOPS.map((token) => tokenizer.token_to_id(token)) },
    "config.json": { model_type: "qwen3", max_position_embeddings: CONTEXT },
    ...(seesImages && VISION_FILES),
  });
}

export function decode(ids: readonly number[]): string {
  return load().tokenizer.decode(ids, { skip_special_tokens: false, clean_up_tokenization_spaces: false });
}

export function encode(text: string): number[] {
  const { ids } = load().tokenizer.encode(text, { add_special_tokens: false });
  return ids.map((id) => id ?? Number.NaN);
}

/** Number of characters that an odd encoding encodes at a time. */
const ODD_LENGTH = 3;

/** Encodes a text in pieces of a few characters: other tokens than its usual ones, as a sampled text may have. */
export function encodeOddly(text: string): number[] {
  const added = load().files.tokenizer.added_tokens.map(({ content }) => content.replace(/[|\\]/g, "\\$&"));
  const parts = text.split(new RegExp(`(${added.join("|")})`));
  return parts.flatMap((part, index) => {
    const characters = Array.from(part);
    const size = index % 2 === 1 ? characters.length : ODD_LENGTH;
    const starts = Array.from({ length: Math.ceil(characters.length / size) }, (_, piece) => piece * size);
    return starts.flatMap((start) => encode(characters.slice(start, start + size).join("")));
  });
}
