import type { BatchLine, EpisodeSummary, IndexLine, Place, RunLine, StepLine } from "../../transcript/format.js";
import type { Overview } from "../api.js";
/** Values of an {@link Overview} that are not in the transcript. */
export interface OverviewFacts {
    readonly name: string;
    readonly revision: number;
    readonly notices: readonly string[];
    /** Returns true if the tensor file of a batch can be read. */
    readonly isReadable: (file: string) => boolean;
}
/** The lines of a transcript's index by kind. It grows with the transcript. */
export declare class TranscriptList {
    #private;
    run: RunLine | null;
    readonly steps: StepLine[];
    readonly batches: BatchLine[];
    /** Number of lines. */
    get length(): number;
    get episodes(): readonly (EpisodeSummary & Place)[];
    add(line: IndexLine): void;
    /** Returns the batches that have tokens of an episode. */
    batchesOf({ session_id: id }: EpisodeSummary): readonly BatchLine[];
    /** Returns the overview. Its episodes begin with the first one that lines from `line` on have added or changed. */
    overview(line: number, { isReadable, ...facts }: OverviewFacts): Overview;
}
