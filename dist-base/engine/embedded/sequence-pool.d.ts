import type { EngineLoad } from "../engine.js";
import { CachedTokens } from "./cached-tokens.js";
/** One sequence of the context, with the tokens in its cache. */
export interface Slot<S> {
    /** Replaced when the engine's weights are: see {@link SequencePool.replaceSequences}. */
    sequence: S;
    readonly cached: CachedTokens;
    affinityKey: string | undefined;
    lastUsed: number;
    busy: boolean;
}
/** Lends each sequence to one call at a time. If none is free, calls wait, and their sessions take turns. */
export declare class SequencePool<S> {
    #private;
    constructor(sequences: readonly S[], contextSize: number);
    get load(): EngineLoad;
    /**
     * Waits for a free sequence. Rejects with the signal's reason if the signal aborts first.
     *
     * @param affinityKey the same for all calls of one session
     */
    acquire(prompt: Int32Array, affinityKey: string, signal: AbortSignal): Promise<Slot<S>>;
    release(slot: Slot<S>): void;
    /** Replaces all sequences by empty ones of new weights. Calls keep their slots. Nothing may compute meanwhile. */
    replaceSequences(sequences: readonly S[]): void;
    /** Rejects waiting calls with `reason`, and resolves when every sequence was released. */
    drain(reason: unknown): Promise<void>;
}
