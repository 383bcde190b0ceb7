import { type TemplateArgs } from "../conversation/template-args.js";
import type { ParentMatch } from "../native/contract.js";
/** The inputs of a prompt other than its messages. */
interface PromptContext {
    readonly toolsKey: string;
    readonly templateArgs: TemplateArgs | undefined;
}
export type BrokenPrefixCause = "history_rewritten" | "tools_changed" | "template_args_changed" | "rerendered";
/**
 * Returns why the prompt of a call does not begin with its parent's tokens. `rerendered`: messages, tools and variables
 * continue the parent's, but the template or the tokenizer turns them into other tokens.
 */
export declare function findBrokenPrefixCause(call: PromptContext, { rule }: ParentMatch, parent: PromptContext): BrokenPrefixCause;
export {};
