import { constant, oneOf, optional, regex, sequence } from "./format.js";
import { listParameters } from "./parameters.js";
/** Strings, and any other text without quotes and parentheses. */
const ANY_ARGUMENTS = regex(`("([^"\\\\\\n]|\\\\.)*"|'([^'\\\\\\n]|\\\\.)*'|[^"'()])*`);
/** Describes keyword arguments in the order of the tool's schema: `a=1, b="x"`, with values in JSON. */
export function describeKeywordArguments(tool) {
    const parameters = listParameters(tool);
    return parameters === undefined ? ANY_ARGUMENTS : describeFirst(parameters);
}
/** Every argument but the first has a comma before it. Any argument can be the first if all before it are optional. */
function describeFirst(parameters) {
    const [first, ...rest] = parameters;
    if (first === undefined)
        return sequence([]);
    const list = sequence([write(first), ...rest.map(describeFollowing)]);
    return first.isRequired ? list : oneOf([list, describeFirst(rest)]);
}
function describeFollowing(parameter) {
    const format = sequence([constant(", "), write(parameter)]);
    return parameter.isRequired ? format : optional(format);
}
const write = ({ key, value }) => sequence([constant(`${key}=`), value]);
//# sourceMappingURL=keyword-arguments.js.map