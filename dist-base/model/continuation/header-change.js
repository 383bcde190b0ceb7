import { sameTemplateArgs } from "../../conversation/template-args.js";
import { TemplateError } from "../chat-model.js";
import { leadingSystem, STAND_IN_TEXT, USER } from "./stand-in.js";
/**
 * Returns true if the conversation's header would differ with the `earlier` template variables. The header is all text
 * before the first user message. Variables that only affect later messages or the opening of the next turn do not
 * change it.
 */
export function changesHeader(template, conversation, earlier) {
    if (sameTemplateArgs(conversation.templateArgs, earlier))
        return false;
    const { templateArgs: _, ...shown } = conversation;
    const before = { ...shown, ...(earlier ? { templateArgs: earlier } : {}) };
    return renderHeader(template, before) !== renderHeader(template, conversation);
}
/** Returns undefined if the template refuses. The finder notices this itself when it renders the continuation. */
function renderHeader(template, conversation) {
    try {
        const messages = [...leadingSystem(conversation.messages), USER];
        return template.render({ ...conversation, messages }, false).split(STAND_IN_TEXT, 1)[0];
    }
    catch (error) {
        if (error instanceof TemplateError)
            return undefined;
        throw error;
    }
}
//# sourceMappingURL=header-change.js.map