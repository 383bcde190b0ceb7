import { z } from "zod";

/**
 * A decoder of a tokenizer.json that turns tokens into text one by one.
 *
 * `byteLevel`: characters of a token stand for bytes (GPT-2's alphabet). `pieces`: tokens are text after replacements.
 * With `byteFallback`, tokens spelled like `<0x0A>` are bytes. `strip` is removed at the start of the whole text.
 */
export type TokenwiseDecoder =
  | { readonly kind: "byteLevel" }
  | {
      readonly kind: "pieces";
      readonly replacements: readonly Replacement[];
      readonly byteFallback: boolean;
      readonly strip: LeadingStrip;
    };

export interface Replacement {
  readonly from: string;
  readonly to: string;
}

/** Removes `content` up to `count` times at the start of the whole text, or of its first token only. */
export interface LeadingStrip {
  readonly content: string;
  readonly count: number;
  readonly firstTokenOnly: boolean;
}

const NO_STRIP: LeadingStrip = { content: " ", count: 0, firstTokenOnly: false };

const step = z.union([
  z.object({ type: z.literal("ByteLevel") }),
  z.object({ type: z.literal("Metaspace"), replacement: z.string().default("▁") }),
  z.object({ type: z.literal("Replace"), pattern: z.object({ String: z.string() }), content: z.string() }),
  z.object({ type: z.enum(["ByteFallback", "Fuse"]) }),
  z.object({ type: z.literal("Strip"), content: z.string(), start: z.int().min(0), stop: z.literal(0) }),
]);
type Step = z.infer<typeof step>;

const decoderSchema = z.union([
  step.transform((one) => [one]),
  z.object({ type: z.literal("Sequence"), decoders: z.array(step) }).transform(({ decoders }) => decoders),
]);

/** Reads the `decoder` of a tokenizer.json; undefined if tokens cannot be decoded one by one. */
export function readDecoder(config: unknown): TokenwiseDecoder | undefined {
  const parsed = decoderSchema.safeParse(config);
  return parsed.success ? fromSteps(parsed.data) : undefined;
}

function fromSteps(steps: readonly Step[]): TokenwiseDecoder | undefined {
  const [first] = steps;
  if (steps.length === 1 && first?.type === "ByteLevel") return { kind: "byteLevel" };
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
function isInUsualOrder(steps: readonly Step[]): boolean {
  const ranks = steps.map(({ type }) => ORDER.indexOf(type));
  const sorted = ranks.every((rank, i) => rank >= 0 && (i === 0 || rank >= (ranks[i - 1] ?? 0)));
  const strips = steps.filter(({ type }) => type === "Strip").length;
  return sorted && (strips === 0 || (strips === 1 && steps.some(({ type }) => type === "Fuse")));
}

function toPiecesDecoder(steps: readonly Step[]): TokenwiseDecoder {
  const replacements: Replacement[] = [];
  let strip = NO_STRIP;
  for (const item of steps) {
    if (item.type === "Replace") replacements.push({ from: item.pattern.String, to: item.content });
    if (item.type === "Strip") strip = { content: item.content, count: item.start, firstTokenOnly: false };
  }
  return { kind: "pieces", replacements, byteFallback: steps.some(({ type }) => type === "ByteFallback"), strip };
}
