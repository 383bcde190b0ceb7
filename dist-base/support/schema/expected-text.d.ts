import type { z } from "zod";
type Schema = z.core.JSONSchema.BaseSchema;
/** Returns the alternatives of a schema (`anyOf`, or a list of types), each with one type. */
export declare function listAlternatives(schema: Schema): Schema[];
/** Returns the schema of a list's entries. */
export declare function readItemSchema({ items }: Schema): Schema;
/** Describes the allowed values as a phrase that follows "expected", such as "an integer from 0 to 65535". */
export declare function describeExpected(schema: Schema): string;
export {};
