import type { z } from "zod";
import type { ConfigProblem } from "./errors.js";
/** Returns the message for an issue that has no message in the schema. */
export declare function describeIssue(issue: z.core.$ZodRawIssue): string;
/** Converts an issue of the schema: to one problem, or to one per unknown key. */
export declare function toProblems(issue: z.core.$ZodIssue): ConfigProblem[];
