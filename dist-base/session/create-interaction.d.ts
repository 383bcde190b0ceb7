import type { RecordedCall } from "./encode-facts.js";
import type { Interaction } from "./interaction.js";
/**
 * Returns an interaction of these facts and the other fields.
 *
 * It lists every field. Spreads would cost ten kilobytes per call, because V8 creates a hidden class for each field after a spread.
 */
export declare function createInteraction(facts: RecordedCall, other: Omit<Interaction, keyof RecordedCall>): Interaction;
