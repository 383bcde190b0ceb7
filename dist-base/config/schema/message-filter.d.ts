import { z } from "zod";
/**
 * A message filter: the source of a regular expression. It runs in linear time (RE2), because agents choose the texts that it
 * runs on. Look-arounds and back-references need `unsafe: true`, which uses JavaScript's engine instead.
 */
export declare const messageFilter: z.ZodUnion<readonly [z.ZodString, z.ZodObject<{
    pattern: z.ZodString;
    unsafe: z.ZodLiteral<true>;
}, z.core.$strict>]>;
export type MessageFilterSetting = z.output<typeof messageFilter>;
/**
 * Compiles a message filter. Every match is removed; `.` is a Unicode code point.
 *
 * @throws an error that says why the pattern is invalid
 */
export declare function compileFilter(filter: MessageFilterSetting): RegExp | {
    removeMatches: (text: string) => string;
};
