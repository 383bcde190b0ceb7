import { z } from "zod";
/**
 * Returns the schema of a control or export body. It refuses fields other than `fields`: if a misspelled `discount` were
 * ignored, the trainer would get wrong rewards. To share fields between bodies, spread them into `fields`.
 */
export declare function controlBody<Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields, z.core.$strict>;
/** Returns a copy of a control body's schema that ignores unknown fields; other schemas are returned unchanged. */
export declare function allowUnknownFields(schema: z.ZodType): z.ZodType;
