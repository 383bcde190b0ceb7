import { describeChannel } from "../../src/facts/channels.js";
import type { ChannelValues, TokenChannel, TokenItems, TokenSlice } from "../../src/view/api.js";
import { seededRandom } from "./fixtures.js";

/** Synthetic channels: the same position and id give the same values. */

const LAYERS = 48;
const TOP_K = 8;
const EXPERTS = 128;
const FIXED = [
  { id: 9693, text: " yes" },
  { id: 902, text: " no" },
];
const WORDS = [" the", " a", "\n", " parser", "()", " list", ".py", " fails", " token", "_", " not", ","];

const COMMON = Array.from({ length: 40 }, (_, i) => ({ id: 5000 + i, text: ` word${i}` }));

interface Spec extends Pick<TokenChannel, "name" | "dtype" | "shape" | "of"> {
  readonly ragged?: boolean;
}

const SPECS: readonly Spec[] = [
  { name: "advantages", dtype: "F32", shape: [], of: "output" },
  { name: "head_scores", dtype: "F32", shape: [2, 3], of: "output" },
  { name: "kept_ids", dtype: "I32", shape: [], of: "output", ragged: true },
  { name: "routed_experts", dtype: "U8", shape: [LAYERS, TOP_K], of: "sequence" },
  { name: "teacher_big_logprobs", dtype: "F32", shape: [], of: "sequence" },
  { name: "teacher_big_top_ids", dtype: "I32", shape: [3], of: "sequence" },
  { name: "teacher_big_top_logprobs", dtype: "F32", shape: [3], of: "sequence" },
  { name: "token_ids_logprobs", dtype: "F32", shape: [FIXED.length], of: "output" },
  { name: "top_ids", dtype: "I32", shape: [4], of: "output" },
  { name: "top_logprobs", dtype: "F32", shape: [4], of: "output" },
];

/** Returns a slice with channels. `from` is the position of its first token. */
export function addChannels(slice: TokenSlice, from: number): TokenSlice {
  const items = slice.ids.map((_, at) => fixtureItems(slice, at, from + at));
  const channels = SPECS.map((spec, i): TokenChannel => {
    const hasColumn = spec.ragged === true || spec.shape.length === 0;
    const column = items.map((each) => {
      const { values, total } = each[i] ?? { values: null, total: 0 };
      return spec.ragged ? total || null : (values?.[0] ?? null);
    });
    return {
      ...describeChannel(spec.name, spec.shape),
      ragged: false,
      ...spec,
      ...(spec.name === "token_ids_logprobs" && { tokens: FIXED }),
      ...(spec.name === "routed_experts" && { layers: Array.from({ length: LAYERS - 1 }, (_, at) => at + 1) }),
      ...(hasColumn && { column }),
    };
  });
  return { ...slice, channels };
}

/** Returns what the channels have for token `at` of a slice. */
export function fixtureItems(slice: TokenSlice, at: number, position: number): TokenItems {
  const random = seededRandom(1000 + position);
  const [id, logprob] = [slice.ids[at] ?? 0, slice.logprobs[at] ?? 0];
  const isOutput = position >= slice.output_start;
  const isScored = position > 0 && position % 40 !== 39;
  const teacher = isOutput
    ? Math.min(0, logprob + 1.5 * (random() - 0.6) * (random() < 0.3 ? 4 : 0.4))
    : -3 * random() ** 3;
  const likely = listLikely({ id, text: slice.texts?.[at] ?? "" }, logprob, random);
  const teacherLikely = listLikely({ id, text: slice.texts?.[at] ?? "" }, teacher, random).slice(0, 3);
  const others = [...likely.filter((token) => token.id !== id), ...COMMON].slice(0, Math.floor(40 * random() ** 3));
  const kept = [{ id, text: slice.texts?.[at] ?? "" }, ...others];
  const values: Readonly<Record<string, readonly (number | "-Infinity")[] | null>> = {
    advantages: isOutput ? [Number((random() - 0.5).toFixed(3))] : null,
    head_scores: isOutput ? Array.from({ length: 6 }, (_, i) => i + Number(random().toFixed(2))) : null,
    kept_ids: isOutput && position % 17 !== 3 ? kept.map((token) => token.id) : null,
    routed_experts: position < slice.total - 1 ? listExperts(random) : null,
    teacher_big_logprobs: isScored ? [Number(teacher.toPrecision(7))] : null,
    teacher_big_top_ids: isScored ? teacherLikely.map((token) => token.id) : null,
    teacher_big_top_logprobs: isScored ? teacherLikely.map((token) => token.logprob) : null,
    token_ids_logprobs: isOutput ? [-12.5, "-Infinity"] : null,
    top_ids: isOutput ? [...likely.map((token) => token.id), -1] : null,
    top_logprobs: isOutput ? [...likely.map((token) => token.logprob), "-Infinity"] : null,
  };
  const texts = new Map([...likely, ...teacherLikely, ...kept].map((token) => [token.id, token.text]));
  return SPECS.map(({ name, shape }): ChannelValues => {
    const found = values[name] ?? null;
    if (!found) return { name, values: null, total: 0 };
    const isIds = describeChannel(name, shape).values === "token_ids";
    return {
      name,
      values: found,
      total: found.length,
      ...(isIds && { texts: found.map((each) => texts.get(Number(each)) ?? null) }),
    };
  });
}

interface LikelyToken {
  readonly id: number;
  readonly text: string;
  readonly logprob: number;
}

/** Returns three tokens, the likeliest first. The given one is among them unless it is unlikely. */
function listLikely(token: { id: number; text: string }, logprob: number, random: () => number): LikelyToken[] {
  const rest = 1 - Math.exp(logprob);
  const first = Math.floor(random() * WORDS.length);
  const others = [0.6, 0.2, 0.1].map((share, i): LikelyToken => {
    const at = (first + i) % WORDS.length;
    const likelihood = Math.log(Math.max(1e-6, rest * share));
    return { id: 100 + at, text: WORDS[at] ?? "", logprob: Number(likelihood.toFixed(4)) };
  });
  return [...others, { ...token, logprob: Number(logprob.toFixed(4)) }]
    .toSorted((a, b) => b.logprob - a.logprob)
    .slice(0, 3);
}

/** Returns distinct experts for each layer. The first layer has none: engines report expert 0 for it. */
function listExperts(random: () => number): number[] {
  return Array.from({ length: LAYERS }, (_, layer) => {
    if (layer === 0) return Array<number>(TOP_K).fill(0);
    const chosen = new Set<number>();
    while (chosen.size < TOP_K) chosen.add(Math.floor(EXPERTS * random()));
    return [...chosen];
  }).flat();
}
