import type { Deadline } from "../../support/async/deadline.js";
/**
 * Admits the steps in which calls compute: the evaluation of some prompt tokens, or of one output token. During a pause, calls
 * wait between two steps.
 */
export declare class StepGate {
    #private;
    get paused(): boolean;
    /**
     * Runs one step, after the end of a pause. The pause does not count for the deadline.
     *
     * @param step may rely on its synchronous beginning: no pause began or ended since it was admitted
     */
    run<T>(deadline: Deadline, step: () => Promise<T>): Promise<T>;
    /** Admits no more steps. Resolves when none runs, or when {@link resume} ended the pause early. */
    pause(): Promise<void>;
    resume(): void;
    /** Fails waiting and later steps with `reason`. */
    close(reason: unknown): void;
}
