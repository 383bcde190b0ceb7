import { z } from "zod";
import { nullableText } from "./values.js";

/** The chat model: how messages become tokens and tokens become text. */
export const modelSchema = z.strictObject({
  path: nullableText.describe(
    "Hugging Face model folder with tokenizer.json, tokenizer_config.json and optionally chat_template.jinja. Null is for the embedded engine only, which then runs its own tiny model.",
  ),
  name: nullableText.describe("Name of the model in model lists and answers. Null: the folder's name."),
});
