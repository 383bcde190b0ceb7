import { itemsIn } from "../values/iterate.js";
import { escape } from "../values/markup.js";
import { isList, isText, Markup, Tuple } from "../values/value.js";
/** Binds a method of `str` to markup. Text that the method inserts is escaped first; text that it returns is markup. */
export function markupMethod(self, name, method) {
    return (args, keywords) => toMarkup(method(self.text, escapedArguments(name, args), keywords));
}
function escapedArguments(name, args) {
    if (name === "join")
        return args.map((items) => itemsIn(items).map(escapedText));
    if (name === "replace")
        return args.map((arg, index) => (index === 1 ? escapedText(arg) : arg));
    return args;
}
const escapedText = (value) => (isText(value) ? escape(value) : value);
function toMarkup(value) {
    if (typeof value === "string")
        return new Markup(value);
    if (value instanceof Tuple)
        return new Tuple(value.items.map(toMarkup));
    return isList(value) ? value.map(toMarkup) : value;
}
//# sourceMappingURL=markup-method.js.map