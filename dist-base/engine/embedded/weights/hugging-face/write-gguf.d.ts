import { type GgufMetadataBytes } from "../model-template.js";
import type { PlannedTensor } from "./plan-conversion.js";
/** Writes a GGUF file with the metadata of the model in use and the planned tensors. The weights pass through in pieces. */
export declare function writeGguf(path: string, metadata: GgufMetadataBytes, plan: readonly PlannedTensor[]): Promise<void>;
