/** The forms of new weights. */
export type WeightsKind = "checkpoint folder" | "GGUF file";
/**
 * Returns what a path leads to, by its content.
 *
 * @throws Error that says what to pass instead
 */
export declare function weightsKind(path: string): Promise<WeightsKind>;
