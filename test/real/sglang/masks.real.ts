import { testMasks } from "../support/masks.js";
import { openRealEngine } from "../support/real-engine.js";

/** The sampling masks of an unmodified SGLang. */

testMasks({ engine: "sglang", open: async () => openRealEngine() });
