import { sameTemplateArgs } from "../conversation/template-args.js";
import { measureRequest } from "./session-size.js";
/** Returns the part of a request that its interaction keeps. It is compared with a parent only once. */
export function readOwnPart(log, request, parent) {
    const { findings } = request;
    if (findings.own && isSameMatch(findings.own.parent, parent))
        return findings.own.part;
    const part = compareWithParent(log, request, parent);
    findings.own = { parent, part };
    return part;
}
function isSameMatch(one, other) {
    return one?.index === other?.index && one?.rule === other?.rule;
}
/** A request shares equal template arguments with its parent, as it does messages. */
function compareWithParent(log, { messages, templateArgs: args }, match) {
    const input = log.diff(messages, match);
    const ofParent = match && log.at(match.index).templateArgs;
    const isShared = sameTemplateArgs(args, ofParent);
    const bytes = measureRequest([...input.respelled.values(), ...input.added], isShared ? undefined : args);
    return { input, templateArgs: isShared ? ofParent : args, bytes };
}
//# sourceMappingURL=own-part.js.map