import type { GenerateCall, LogprobContent } from "../engine.js";
/**
 * Remembers what the log probabilities of one vLLM server include. No endpoint reports this, so a probe generation finds
 * it out: once, and again after the server was unreachable.
 */
export declare class LogprobsProbe {
    #private;
    /** Undefined until a probe has succeeded. */
    get content(): LogprobContent | undefined;
    /**
     * Runs the probe, unless the result is known or the last probe failed recently. Concurrent calls share one probe.
     *
     * @returns `unknown` if the probe fails
     */
    find(probe: () => Promise<LogprobContent>): Promise<LogprobContent>;
    /** Forgets the result and ignores a probe in flight. */
    forget(): void;
}
/**
 * Generates a few tokens after the first token of a call's prompt: with so little context, the model is least certain.
 *
 * @throws EngineError or the timeout's reason if the server does not answer in time, Error if it generates no token
 */
export declare function runProbe({ prompt, affinityKey }: GenerateCall, generate: (probe: GenerateCall, signal: AbortSignal) => Promise<void>): Promise<LogprobContent>;
