import type { ServerContext } from "../context.js";
import type { BuiltPrompt } from "./build-prompt.js";
import type { ModelCall } from "./model-call.js";
/** Returns the limit of a call's reasoning, in tokens; undefined if it has none or if the answer has no reasoning. */
export declare function chooseBudget({ model }: ServerContext, { request: { conversation, sampling } }: ModelCall, { decodeEnd }: BuiltPrompt): number | undefined;
