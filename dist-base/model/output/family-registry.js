// Written by `npm run docs:families` from the files of families/.
import { apertus } from "./families/apertus.js";
import { cohereCommand } from "./families/cohere-command.js";
import { deepseekR1 } from "./families/deepseek-r1.js";
import { deepseekV3 } from "./families/deepseek-v3.js";
import { deepseekV4 } from "./families/deepseek-v4.js";
import { deepseekV31 } from "./families/deepseek-v31.js";
import { deepseekV32 } from "./families/deepseek-v32.js";
import { gemma4 } from "./families/gemma4.js";
import { gigachat3 } from "./families/gigachat3.js";
import { glm45 } from "./families/glm45.js";
import { gptOss } from "./families/gpt-oss.js";
import { hermes } from "./families/hermes.js";
import { hunyuanA13b } from "./families/hunyuan-a13b.js";
import { hyV3 } from "./families/hy-v3.js";
import { hyV3Preview } from "./families/hy-v3-preview.js";
import { kimi } from "./families/kimi.js";
import { kimiK2 } from "./families/kimi-k2.js";
import { kimiK3 } from "./families/kimi-k3.js";
import { lfm2 } from "./families/lfm2.js";
import { llama3Json } from "./families/llama3-json.js";
import { minimaxM2 } from "./families/minimax-m2.js";
import { minimaxM3 } from "./families/minimax-m3.js";
import { mistral } from "./families/mistral.js";
import { nemotronNanoV2 } from "./families/nemotron-nano-v2.js";
import { olmo3 } from "./families/olmo3.js";
import { phi4Mini } from "./families/phi4-mini.js";
import { pythonic } from "./families/pythonic.js";
import { qwen3 } from "./families/qwen3.js";
import { qwen3Coder } from "./families/qwen3-coder.js";
import { seedOss } from "./families/seed-oss.js";
/** Every family of models, by file name. */
export const FAMILIES = [
    apertus,
    cohereCommand,
    deepseekR1,
    deepseekV3,
    deepseekV4,
    deepseekV31,
    deepseekV32,
    gemma4,
    gigachat3,
    glm45,
    gptOss,
    hermes,
    hunyuanA13b,
    hyV3,
    hyV3Preview,
    kimi,
    kimiK2,
    kimiK3,
    lfm2,
    llama3Json,
    minimaxM2,
    minimaxM3,
    mistral,
    nemotronNanoV2,
    olmo3,
    phi4Mini,
    pythonic,
    qwen3,
    qwen3Coder,
    seedOss,
];
//# sourceMappingURL=family-registry.js.map