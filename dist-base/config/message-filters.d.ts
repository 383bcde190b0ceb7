import type { Config } from "./schema/sections.js";
/** Returns `rollout.agent.message_filters` as filters of texts. */
export declare function compileMessageFilters({ rollout }: Config): (RegExp | {
    removeMatches: (text: string) => string;
})[];
/** Returns the patterns that can take exponential time on a text that an agent chooses. */
export declare function listUnsafeFilters({ rollout }: Config): string[];
