import type { EngineReply } from "../../../native/contract.js";
import { type Finish, type GenerateCall, type GenerateResult } from "../../engine.js";
import type { EngineServer } from "../engine-server.js";
import { StopWatch } from "./stop-watch.js";
/** Collects facts about a call's output over all of its requests. The tokens themselves are in the call's generation. */
export declare class OutputSoFar {
    #private;
    readonly stops: StopWatch | undefined;
    constructor(call: GenerateCall);
    /** Adds the facts of one reply. */
    add({ tokens, cachedTokens }: EngineReply, server: EngineServer): void;
    /** Discards the output so far if it follows a grammar: engines apply a grammar from the first token of a request. */
    prepareResume(): void;
    /** @param resumes how often the generation was resumed */
    result(finish: Finish, resumes: number): GenerateResult;
}
