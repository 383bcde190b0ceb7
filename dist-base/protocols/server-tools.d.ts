import { z } from "zod";
/**
 * Server-side tools: tools that only the API's own server can run, such as a web search. The model is never shown them. A
 * request that has some is refused, or answered without them.
 */
export type ServerToolPolicy = "refuse" | "drop";
/** @param supported the types of tools that the protocol's requests may have, for the error message */
export declare const serverTool: (supported: string) => z.ZodObject<{
    type: z.ZodString;
    execution: z.ZodOptional<z.ZodUnknown>;
}, z.core.$loose>;
/** A field of a request that asks for a server-side tool. */
export interface ServerToolField {
    /** Path of the field, such as `tools[3].type`. */
    readonly param: string;
    /** Type of the tool, as the header and the rows name it. */
    readonly type: string;
}
/**
 * Returns the types of the tools that are left out, each once.
 *
 * @throws RequestError for the first tool if the policy is "refuse"
 */
export declare function leaveOut(found: readonly ServerToolField[], policy?: ServerToolPolicy): string[];
/** Returns the dropped tools as one text, cut if it is too long for a header. */
export declare function joinDropped(types: readonly string[]): string;
/**
 * Returns the server-side tools of a list of tools.
 *
 * @param isShown returns true for types of tools that a prompt can show; tools of all other types are server-side
 */
export declare function findServerTools(tools: readonly {
    readonly type?: string | null | undefined;
}[], isShown: (type: string) => boolean): ServerToolField[];
