import type { StoredProblem } from "../../session/stored/stored-problem.js";
/** Lists what is damaged, up to a maximum number of lines. */
export declare class ProblemList {
    #private;
    /** @param all true: lists every problem */
    constructor(write: (line: string) => void, { all }?: {
        readonly all?: boolean;
    });
    /** Number of problems. */
    get count(): number;
    add(problem: StoredProblem): void;
    /** Writes how many problems were not listed. */
    end(hint?: string): void;
}
