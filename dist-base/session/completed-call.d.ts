import type { Message } from "../conversation/message.js";
import type { TemplateArgs } from "../conversation/template-args.js";
import type { NativeGeneration, NativePrompt, ParentMatch } from "../native/contract.js";
import type { Api, CallFacts, Interaction } from "./interaction.js";
import type { DigestedMessages } from "./known-messages.js";
import type { RequestFindings } from "./request-findings.js";
import type { DeclaredTools } from "./undeclared-calls.js";
/** The messages of a call, prepared for the search for a parent interaction. */
export interface PreparedMessages extends DigestedMessages, DeclaredTools {
    readonly toolsKey: string;
    /** Length of the tools as JSON, in characters. */
    readonly toolsBytes: number;
    readonly templateArgs: TemplateArgs | undefined;
    /** The interaction that the request names as its predecessor. */
    readonly previous: Interaction | undefined;
    readonly findings: RequestFindings;
}
/** A completed model call, to be recorded as an interaction. */
export interface CompletedCall extends CallFacts {
    readonly prepared: PreparedMessages;
    readonly output: readonly Message[];
    /** The choices of a call share it. Recording copies its tokens. */
    readonly prompt: NativePrompt;
    /** Recording releases it. */
    readonly generation: NativeGeneration;
    readonly finishReason: string;
    readonly api: Api;
    readonly id?: string | undefined;
    /** Identifies the request, so that its retries are recognized after a restart. */
    readonly request?: string | undefined;
    /** The parent that the prompt was built on. Absent: searched for among the recorded interactions. */
    readonly parent?: ParentMatch | undefined;
    /**
     * Why `concat` did not build the prompt on its parent's tokens. Absent: derived if the prompt does not continue them.
     */
    readonly fallback?: string | undefined;
}
