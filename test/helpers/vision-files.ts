import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureTinyModel } from "../../src/engine/index.js";

const SPECIAL = ["<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"] as const;
const FIRST_ID = 512;

/** The token that stands for images in {@link writeVisionFiles}. */
export const IMAGE_TOKEN = FIRST_ID + SPECIAL.indexOf("<|image_pad|>");

/** Shows images as the templates of the Qwen-VL family do. test/real/support/vision.py uses it too. */
const TEMPLATE = readFileSync(new URL("../fixtures/images/template.jinja", import.meta.url), "utf8").trimEnd();

/** Writes the files of a model that sees images as Qwen2.5-VL does, without weights. */
export async function writeVisionFiles(
  folder: string,
  { template = TEMPLATE, processor = "Qwen2VLImageProcessor" } = {},
): Promise<void> {
  const { folder: tiny } = await ensureTinyModel();
  const read = (name: string) => JSON.parse(readFileSync(join(tiny, name), "utf8")) as Record<string, unknown>;
  const write = (name: string, content: object) => writeFileSync(join(folder, name), JSON.stringify(content));
  const tokenizer = read("tokenizer.json");
  const [known] = tokenizer["added_tokens"] as object[];
  const added = SPECIAL.map((content, i) => ({ ...known, id: FIRST_ID + i, content }));
  write("tokenizer.json", { ...tokenizer, added_tokens: [...(tokenizer["added_tokens"] as object[]), ...added] });
  write("tokenizer_config.json", { ...read("tokenizer_config.json"), chat_template: template });
  write("generation_config.json", read("generation_config.json"));
  write("config.json", {
    ...read("config.json"),
    model_type: "qwen2_5_vl",
    vocab_size: FIRST_ID + SPECIAL.length,
    image_token_id: IMAGE_TOKEN,
    video_token_id: IMAGE_TOKEN + 1,
  });
  write("preprocessor_config.json", {
    image_processor_type: processor,
    patch_size: 14,
    merge_size: 2,
    min_pixels: 3136,
    max_pixels: 12_845_056,
  });
}
