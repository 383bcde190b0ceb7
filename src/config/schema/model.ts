import { z } from "zod";
import { optionalText } from "./values.js";

/** The chat model: how messages become tokens and tokens become text. */
export const modelSchema = z.strictObject({
  path: optionalText.describe(
    "Hugging Face model folder: tokenizer.json, tokenizer_config.json, optionally chat_template.jinja. " +
      "Null only with the embedded engine, which then runs its own tiny model.",
  ),
  name: optionalText.describe("Name under which the model is listed and answered; null takes the folder's name."),
});
