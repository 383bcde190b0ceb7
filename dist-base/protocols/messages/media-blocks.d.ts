import { z } from "zod";
export declare const mediaBlocks: readonly [z.ZodObject<{
    type: z.ZodLiteral<"image">;
    cache_control: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strip>, z.ZodObject<{
    type: z.ZodLiteral<"document">;
    source: z.ZodPipe<z.ZodUnknown, z.ZodTransform<string | undefined, unknown>>;
    cache_control: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
}, z.core.$strip>];
export type MediaBlock = z.output<(typeof mediaBlocks)[number]>;
export declare const isMedia: (block: {
    readonly type: string;
}) => block is MediaBlock;
/** Returns true for a document whose text the prompt contains. */
export declare const isText: (block: MediaBlock) => boolean;
/** Returns the text that the prompt contains instead of a block. */
export declare function toText(block: MediaBlock): string;
