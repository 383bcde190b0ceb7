import type { WholeStructure } from "./whole-structure.js";
/**
 * The structure of Kimi K3's outputs: the elements `think`, `response` and `tools`, and the end of the message that the
 * prompt has begun. Source: the model's chat template.
 */
export declare const kimiElements: WholeStructure;
