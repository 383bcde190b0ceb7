import { z } from "zod";
import { ApiError } from "./errors.js";
export type UnknownKeys = z.core.$ZodIssueUnrecognizedKeys;
/** Returns the first issue about an unknown field at the top of a body; undefined if there is none. */
export declare function findTopUnknownKeys({ issues }: z.ZodError): UnknownKeys | undefined;
/**
 * Returns the error for an unknown field. It suggests a similar field of the same object, if there is one.
 *
 * @param parent path of the object that has the field, as error messages show it; empty for the body itself
 */
export declare function unknownFieldError(schema: z.ZodType, { keys, path }: UnknownKeys, parent: string): ApiError;
