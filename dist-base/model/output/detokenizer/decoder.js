import { z } from "zod";
const NO_STRIP = { content: " ", count: 0, firstTokenOnly: false };
const step = z.union([
    z.object({ type: z.literal("ByteLevel") }),
    z.object({ type: z.literal("Metaspace"), replacement: z.string().default("▁") }),
    z.object({ type: z.literal("Replace"), pattern: z.object({ String: z.string() }), content: z.string() }),
    z.object({ type: z.enum(["ByteFallback", "Fuse"]) }),
    z.object({ type: z.literal("Strip"), content: z.string(), start: z.int().min(0), stop: z.literal(0) }),
]);
const decoderSchema = z.union([
    step.transform((one) => [one]),
    z.object({ type: z.literal("Sequence"), decoders: z.array(step) }).transform(({ decoders }) => decoders),
]);
/** Reads the `decoder` of a tokenizer.json; undefined if tokens cannot be decoded one by one. */
export function readDecoder(config) {
    const parsed = decoderSchema.safeParse(config);
    return parsed.success ? fromSteps(parsed.data) : undefined;
}
function fromSteps(steps) {
    const [first] = steps;
    if (steps.length === 1 && first?.type === "ByteLevel")
        return { kind: "byteLevel" };
    if (steps.length === 1 && first?.type === "Metaspace") {
        const replacements = [{ from: first.replacement, to: " " }];
        return {
            kind: "pieces",
            replacements,
            byteFallback: false,
            strip: { content: " ", count: 1, firstTokenOnly: true },
        };
    }
    return isInUsualOrder(steps) ? toPiecesDecoder(steps) : undefined;
}
const ORDER = ["Replace", "ByteFallback", "Fuse", "Strip"];
/** Checks for the order of SentencePiece vocabularies: replacements, bytes, fusion to one text, stripping of its start. */
function isInUsualOrder(steps) {
    const ranks = steps.map(({ type }) => ORDER.indexOf(type));
    const sorted = ranks.every((rank, i) => rank >= 0 && (i === 0 || rank >= (ranks[i - 1] ?? 0)));
    const strips = steps.filter(({ type }) => type === "Strip").length;
    return sorted && (strips === 0 || (strips === 1 && steps.some(({ type }) => type === "Fuse")));
}
function toPiecesDecoder(steps) {
    const replacements = [];
    let strip = NO_STRIP;
    for (const item of steps) {
        if (item.type === "Replace")
            replacements.push({ from: item.pattern.String, to: item.content });
        if (item.type === "Strip")
            strip = { content: item.content, count: item.start, firstTokenOnly: false };
    }
    return { kind: "pieces", replacements, byteFallback: steps.some(({ type }) => type === "ByteFallback"), strip };
}
//# sourceMappingURL=decoder.js.map