// Written by `npm run docs:families` from the files of families/.
import { cohereCommand } from "./families/cohere-command.js";
import { deepseekR1 } from "./families/deepseek-r1.js";
import { deepseekV3 } from "./families/deepseek-v3.js";
import { deepseekV4 } from "./families/deepseek-v4.js";
import { deepseekV31 } from "./families/deepseek-v31.js";
import { deepseekV32 } from "./families/deepseek-v32.js";
import { gemma4 } from "./families/gemma4.js";
import { glm45 } from "./families/glm45.js";
import { gptOss } from "./families/gpt-oss.js";
import { hermes } from "./families/hermes.js";
import { hyV3 } from "./families/hy-v3.js";
import { kimi } from "./families/kimi.js";
import { kimiK2 } from "./families/kimi-k2.js";
import { kimiK3 } from "./families/kimi-k3.js";
import { lfm2 } from "./families/lfm2.js";
import { llama3Json } from "./families/llama3-json.js";
import { minimaxM2 } from "./families/minimax-m2.js";
import { minimaxM3 } from "./families/minimax-m3.js";
import { mistral } from "./families/mistral.js";
import { pythonic } from "./families/pythonic.js";
import { qwen3 } from "./families/qwen3.js";
import { qwen3Coder } from "./families/qwen3-coder.js";
import { seedOss } from "./families/seed-oss.js";

/** Every family of models, by file name. */
export const FAMILIES = [
  cohereCommand,
  deepseekR1,
  deepseekV3,
  deepseekV4,
  deepseekV31,
  deepseekV32,
  gemma4,
  glm45,
  gptOss,
  hermes,
  hyV3,
  kimi,
  kimiK2,
  kimiK3,
  lfm2,
  llama3Json,
  minimaxM2,
  minimaxM3,
  mistral,
  pythonic,
  qwen3,
  qwen3Coder,
  seedOss,
] as const;
