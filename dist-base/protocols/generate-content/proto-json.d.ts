import { z } from "zod";
/** Schemas of messages as Google's APIs read them from JSON: names in camelCase or snake_case, `null` for absent fields. */
/** Returns the schema of an object that refuses unknown fields. The fields are named in camelCase and can come in snake_case. */
export declare function protoObject<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodPreprocess<z.ZodObject<{ -readonly [P in keyof Fields]: Fields[P]; }, z.core.$strict>, unknown>;
/** Returns the schema of an enumeration. Google's own values are in upper case; some clients send them in lower case. */
export declare function protoEnum<const Values extends readonly [string, ...string[]]>(values: Values): z.ZodPreprocess<z.ZodEnum<{ [k in Values[number]]: k; } extends infer T ? { [k in keyof T]: T[k]; } : never>, unknown>;
/** Returns a schema that also accepts a single element instead of a list of one, as Google's parser does. */
export declare function protoList<List extends z.ZodType>(list: List): z.ZodPreprocess<List, unknown>;
