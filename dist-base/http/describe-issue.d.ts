import { z } from "zod";
type Issue = z.core.$ZodIssue;
/**
 * Describes a wrong value with a phrase for use after the name of its field: the allowed values and the received value. A message
 * that the schema defines itself is returned unchanged.
 *
 * @param schema the schema of the whole body or query
 * @param received the value that the issue is about
 */
export declare function describeIssue(issue: Issue, schema: z.ZodType, received: unknown): string;
export {};
