import type { Tool } from "../conversation/message.js";
import type { ToolList, ToolLists } from "./tool-lists.js";
/** The tools of one session's calls. Those of calls that were read back from disk are not in memory. */
export declare class SessionTools {
    #private;
    /** @param readStored returns the JSON of a list that is on disk */
    constructor(lists: ToolLists, readStored: (key: string) => string | undefined);
    /** Keeps the tools of a call. Returns them if this is the first call with them since the session is in memory. */
    add(key: string, tools: readonly Tool[]): ToolList | undefined;
    /** Returns the JSON of a list; undefined if it was not recorded. */
    read(key: string): string | undefined;
    /** Frees the lists that no other session uses. */
    clear(): void;
}
