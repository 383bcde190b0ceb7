import type { SamplingParams } from "./engine.js";
/** Returns the sampling parameters that SGLang and vLLM name alike. All are sent, so no server default applies. */
export declare function sharedSamplingFields(sampling: SamplingParams): Record<string, unknown>;
