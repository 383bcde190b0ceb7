import type { CallSyntax } from "./call-syntax.js";
/** Calls whose parameters are plain text between tags that name them. */
export interface TaggedSyntax {
    readonly section: {
        readonly begin: string;
        readonly end: string;
    };
    /** `begin`: the opening tag up to the function's name. `nameEnd`: the rest of the tag after the name. */
    readonly begin: string;
    readonly nameEnd: string;
    readonly end: string;
    /** The tags of a parameter; `keyEnd` is the text after its name. */
    readonly parameter: {
        readonly begin: string;
        readonly keyEnd: string;
        readonly end: string;
    };
    /**
     * Where the template writes a value: `own lines`: one line break at each end belongs to the tags. `between tags`: line
     * breaks are part of the value, except one at each end if both ends have one, because models then mean own lines.
     */
    readonly layout: "own lines" | "between tags";
}
/** The tags `<function=NAME>` and `<parameter=KEY>`. */
export declare const FUNCTION_TAGS: {
    readonly begin: "<function=";
    readonly nameEnd: ">";
    readonly end: "</function>";
    readonly parameter: {
        readonly begin: "<parameter=";
        readonly keyEnd: ">";
        readonly end: "</parameter>";
    };
};
/** Returns the syntax of calls in tags. */
export declare function taggedCalls(syntax: TaggedSyntax): CallSyntax;
