import { NONE } from "./values/value.js";
/** Names that Jinja2 reads as constants. A variable of that name is never read. */
export const CONSTANTS = new Map([
    ["true", true],
    ["True", true],
    ["false", false],
    ["False", false],
    ["none", NONE],
    ["None", NONE],
]);
//# sourceMappingURL=constants.js.map