import { z } from "zod";
export declare const mediaFields: {
    inlineData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        data: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    fileData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        fileUri: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
};
declare const mediaPart: z.ZodPreprocess<z.ZodObject<{
    inlineData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        data: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
    fileData: z.ZodOptional<z.ZodPreprocess<z.ZodObject<{
        mimeType: z.ZodOptional<z.ZodString>;
        fileUri: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
        displayName: z.ZodOptional<z.ZodPipe<z.ZodUnknown, z.ZodTransform<undefined, unknown>>>;
    }, z.core.$strict>, unknown>>;
}, z.core.$strict>, unknown>;
export type MediaPart = z.output<typeof mediaPart>;
/** Files beside a function's response. */
export declare const responseParts: z.ZodOptional<z.ZodPreprocess<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<{
    inlineData?: {
        mimeType?: string | undefined;
        data?: undefined;
        displayName?: undefined;
    } | undefined;
    fileData?: {
        mimeType?: string | undefined;
        fileUri?: undefined;
        displayName?: undefined;
    } | undefined;
}[], unknown[]>>, unknown>>;
/** Returns the field that has a part's data; undefined if none has. */
export declare const findField: (part: MediaPart) => "fileData" | "inlineData" | undefined;
/** Returns the text that stands for a part's data; undefined if it has none. */
export declare function showMedia(part: MediaPart): string | undefined;
export {};
