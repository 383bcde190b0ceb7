import type { Config } from "../../config/index.js";
import type { JobJournal } from "../../leasing/job-journal.js";
import type { LeasedTasks } from "../../leasing/leased-tasks.js";
import type { ConnectedProxy } from "../../rollout/connect.js";
import type { TaskResult } from "../../rollout/controller/task.js";
import type { StepLine } from "../../transcript/format.js";
import type { RolloutOptions } from "./rollout-options.js";
import type { RolloutScreen } from "./screen.js";
/** Name of the transcript of a job with this `--out`. */
export declare const transcriptFileOf: (out: string) => string;
/** The part of a job that its transcript needs. */
export interface TranscribedJob {
    readonly config: Pick<Config, "engine" | "model" | "rollout">;
    readonly options: Pick<RolloutOptions, "out" | "proxy" | "transcripts">;
    readonly proxy: ConnectedProxy;
    /** Set if rollout workers run the tasks. */
    readonly leases?: Pick<LeasedTasks, "discard"> | undefined;
    readonly journal?: Pick<JobJournal, "isResumed" | "removeUnwanted"> | undefined;
    readonly groupSize: number;
    readonly tasks: readonly unknown[];
    readonly screen: Pick<RolloutScreen, "line">;
}
export interface WrittenBatchFacts {
    readonly number: number;
    readonly file: string;
    readonly version: number;
    readonly sessionIds: readonly string[];
}
/**
 * Writes the transcript of a job. It reads each episode from the proxy when it has ended, and then deletes the session of a rejected
 * one. The job waits for it only before a batch's sessions are freed and at its end, and not for long.
 */
export declare class JobTranscript {
    #private;
    private constructor();
    /** Creates the transcript, or opens that of the process before; undefined with `--no-transcripts`. */
    static open(job: TranscribedJob): Promise<JobTranscript | undefined>;
    /** The file; undefined if it could not be created. */
    get path(): string | undefined;
    /** Adds the episodes of a task that has ended. */
    add(result: TaskResult): void;
    addBatch({ number, file, version, sessionIds }: WrittenBatchFacts): void;
    addStep(step: Pick<StepLine, "number" | "version" | "duration">): void;
    /** Waits until these sessions are not needed any more, but not for long. */
    settled(sessionIds: readonly string[], milliseconds?: number): Promise<void>;
    /** Writes the episodes that have ended, and closes the file. */
    close(): Promise<void>;
}
