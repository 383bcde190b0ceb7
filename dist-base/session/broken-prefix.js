import { sameTemplateArgs } from "../conversation/template-args.js";
/**
 * Returns why the prompt of a call does not begin with its parent's tokens. `rerendered`: messages, tools and variables
 * continue the parent's, but the template or the tokenizer turns them into other tokens.
 */
export function findBrokenPrefixCause(call, { rule }, parent) {
    if (rule === "messages")
        return "history_rewritten";
    if (call.toolsKey !== parent.toolsKey)
        return "tools_changed";
    return sameTemplateArgs(call.templateArgs, parent.templateArgs) ? "rerendered" : "template_args_changed";
}
//# sourceMappingURL=broken-prefix.js.map