import type { JobTranscript } from "./job-transcript.js";
/** An accepted episode that the summary of a job shows. */
export interface Example {
    readonly name: "best" | "median" | "worst";
    readonly reward: number;
    readonly turns: number;
    readonly sessionId: string;
    /** The beginning of the last answer: untrusted text, made inert. */
    readonly answer: string;
}
/** Facts about a transcript for the summary of its job. */
export interface TranscriptExamples {
    readonly path: string;
    readonly examples: readonly Example[];
}
/** Reads examples from the transcript of a job; undefined if none was written. */
export declare function readExamples(written: JobTranscript | undefined): Promise<TranscriptExamples | undefined>;
/** Returns lines of the summary, as names and texts. */
export declare function describeExamples({ path, examples }: TranscriptExamples): [string, string][];
