import { z } from "zod";
/** A time in seconds, possibly fractional, that a timer can wait. */
export declare const seconds: z.ZodNumber;
/** Text that is not empty, or null for "not set". */
export declare const optionalText: z.ZodDefault<z.ZodNullable<z.ZodString>>;
/** Visible ASCII characters without spaces, as a key in a header must have. */
export declare const VISIBLE_ASCII: RegExp;
/** A key that can be sent in an Authorization header. */
export declare const secretKey: z.ZodString;
/** Base address of a server. */
export declare const baseUrl: z.ZodString;
