import { z } from "zod";
/** The content of messages and of the results of calls: a text, or parts. */
export declare const describeRefused: (kind: "part" | "item", supported: string) => (issue: {
    readonly input?: unknown;
}) => string;
/** The screenshot that answers a computer call. */
export declare const screenshot: z.ZodObject<{
    type: z.ZodLiteral<"computer_screenshot">;
}, z.core.$strip>;
export declare const content: z.ZodUnion<readonly [z.ZodPipe<z.ZodString, z.ZodTransform<string, string>>, z.ZodPipe<z.ZodPipe<z.ZodArray<z.ZodUnknown>, z.ZodTransform<({
    type: "computer_screenshot";
} | {
    type: "input_text";
    text: string;
} | {
    type: "output_text";
    text: string;
} | {
    type: "text";
    text: string;
} | {
    type: "refusal";
    refusal: string;
} | {
    type: "input_image";
} | {
    type: "input_file";
} | {
    type: "input_audio";
})[], unknown[]>>, z.ZodTransform<string | import("../../conversation/media.js").ContentWithMedia, ({
    type: "computer_screenshot";
} | {
    type: "input_text";
    text: string;
} | {
    type: "output_text";
    text: string;
} | {
    type: "text";
    text: string;
} | {
    type: "refusal";
    refusal: string;
} | {
    type: "input_image";
} | {
    type: "input_file";
} | {
    type: "input_audio";
})[]>>]>;
