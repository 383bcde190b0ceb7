import type { PreparedMessages } from "../../session/completed-call.js";
import type { ServerContext } from "../context.js";
import type { Choice } from "./choices.js";
import { type CompletedSampling } from "./complete-sampling.js";
import type { GenerationJob, GenerationOutcome } from "./generate.js";
import type { CallRecord } from "./model-call.js";
/** The generation of one choice of a call. */
export interface ChoiceJob extends GenerationJob {
    readonly choice: Choice;
    readonly prepared: PreparedMessages;
    readonly completed: CompletedSampling;
}
/** Records a generated choice as an interaction. */
export declare function recordChoice(context: ServerContext, job: ChoiceJob, outcome: GenerationOutcome): CallRecord;
