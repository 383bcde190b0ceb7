import { RE2JS } from "re2js";
import { z } from "zod";

/**
 * A message filter: the source of a regular expression. It runs in linear time (RE2), because agents choose the texts that it
 * runs on. Look-arounds and back-references need `unsafe: true`, which uses JavaScript's engine instead.
 */
export const messageFilter = z
  .union([z.string(), z.strictObject({ pattern: z.string(), unsafe: z.literal(true) })])
  .superRefine((filter, context) => {
    const reason = catchReason(filter);
    if (reason === undefined) return;
    context.addIssue({ code: "custom", message: `expected ${describeSyntax(filter)}: ${reason}` });
  })
  .meta({ expected: "a regular expression, or {pattern, unsafe: true}" });

export type MessageFilterSetting = z.output<typeof messageFilter>;

/**
 * Compiles a message filter. Every match is removed; `.` is a Unicode code point.
 *
 * @throws an error that says why the pattern is invalid
 */
export function compileMessageFilter(filter: MessageFilterSetting) {
  if (typeof filter !== "string") return new RegExp(filter.pattern, "gu");
  const compiled = RE2JS.compile(RE2JS.translateRegExp(filter));
  return { removeMatches: (text: string) => compiled.matcher(text).replaceAll("") };
}

/** Returns why a filter is invalid; undefined if it is valid. */
function catchReason(filter: MessageFilterSetting): string | undefined {
  try {
    compileMessageFilter(filter);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function describeSyntax(filter: MessageFilterSetting): string {
  if (typeof filter !== "string") return "a JavaScript regular expression";
  const isJavaScript = catchReason({ pattern: filter, unsafe: true }) === undefined;
  return isJavaScript
    ? "a regular expression without look-arounds and back-references, or {pattern, unsafe: true}"
    : "a regular expression";
}
