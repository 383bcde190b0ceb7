import type { Tool } from "../conversation/message.js";
/** The tools that the model may or must call, in the form of OpenAI's protocols. Other protocols are translated. */
export type ToolChoice = "none" | "auto" | "required" | {
    readonly type: "function";
    readonly function: {
        readonly name: string;
    };
}
/** `auto`: the model may call these tools. `required`: it must call one of them. */
 | {
    readonly type: "allowed_tools";
    readonly mode: "auto" | "required";
    readonly names: readonly string[];
};
/**
 * Selects the tools that the prompt shows: none for "none", only the named tool, only the allowed tools, or else all.
 *
 * @param param the request field that has the choice
 * @throws RequestError if the choice requires a call but there are no tools, or if it names an unknown tool
 */
export declare function selectTools(tools: readonly Tool[], choice?: ToolChoice, param?: string): readonly Tool[];
/** Returns true if the answer must be a call. */
export declare function requiresCall(choice?: ToolChoice): boolean;
/** Returns the choice in the form that chat templates expect. */
export declare function toTemplateChoice(choice: ToolChoice): unknown;
/** Restrictions of a request on the calls in the answer. */
export interface CallRules {
    /** The request field that requires a call; undefined if none does. */
    readonly mustCall: string | undefined;
    /** The request field that limits the answer to one call; undefined if none does. */
    readonly single: string | undefined;
    /** Names of the tools whose arguments must match their schema. */
    readonly strict: ReadonlySet<string>;
}
interface CallFields {
    /** The tools that the prompt shows. */
    readonly tools: readonly Tool[];
    readonly choice: ToolChoice | undefined;
    /** The request field that has the choice. Default: `tool_choice`. */
    readonly choiceParam?: string;
    /** The request field that limits the answer to one call; undefined if none does. */
    readonly single: string | undefined;
    /** All strict tools, including those that the prompt does not show. */
    readonly strict: readonly {
        readonly name: string;
    }[];
}
export declare function toCallRules({ tools, choice, choiceParam, single, strict }: CallFields): CallRules;
export {};
