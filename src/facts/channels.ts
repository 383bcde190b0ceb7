import { z } from "zod";

/** The meaning of a channel's values, for people who look at them. */
export interface ChannelFacts {
  /** `experts`: items are ids of experts, by layer. `logprobs` are in nats. `numbers`: anything else. */
  readonly values: "experts" | "token_ids" | "logprobs" | "numbers";
  /** A short noun phrase. */
  readonly title: string;
  readonly meaning: string;
  /** Says why a token can lack an item. */
  readonly absence: string;
  /** The channel with the token ids that the log probabilities of an item belong to. It is shown with this one. */
  readonly ids?: string;
}

/**
 * The channels that engines give, by the names with which sessions leave them out. `top_logprobs` stands for the channels `top_ids` and
 * `top_logprobs`.
 */
const ENGINE = {
  routed_experts: {
    values: "experts",
    title: "Routed experts",
    meaning: "The experts that the token went through, by layer, in the order in which the engine reports them.",
    absence: "No experts are recorded. The engine does not run on the last token of a sequence.",
  },
  kept_ids: {
    values: "token_ids",
    title: "Kept tokens",
    meaning: "The tokens that top-k, top-p and min-p left to sample from.",
    absence:
      "No set is recorded: the token was sampled greedily or from the whole vocabulary, the set was too large, or the engine sent none.",
  },
  top_logprobs: {
    values: "logprobs",
    title: "Alternatives",
    meaning: "The most likely tokens at this position, the most likely first.",
    absence: "No alternatives are recorded.",
    ids: "top_ids",
  },
  token_ids_logprobs: {
    values: "logprobs",
    title: "Fixed tokens",
    meaning: "The log probabilities of the tokens of engine.token_ids_logprob at this position.",
    absence: "No log probabilities of fixed tokens are recorded.",
  },
} as const satisfies Readonly<Record<string, ChannelFacts>>;

export type EngineChannel = keyof typeof ENGINE;

export const ENGINE_CHANNELS = Object.keys(ENGINE) as EngineChannel[];

const LISTED = ENGINE_CHANNELS.map((name) => `\`${name}\``).join(", ");
const NAME = { error: `must be one of ${LISTED}, or \`teacher_NAME\` of a teacher` };
const teacherChannel = z.templateLiteral(["teacher_", z.string().regex(/^[a-z][a-z0-9_]*$/)], NAME);

/**
 * Returns the meaning of a channel of batches. A trainer bridge can record channels with other names: they are numbers.
 *
 * @param shape extents of an item; a teacher's score is one number
 */
export function describeChannel(name: string, shape: readonly number[]): ChannelFacts {
  const known: Readonly<Record<string, ChannelFacts>> = ENGINE;
  return (Object.hasOwn(known, name) ? known[name] : describeTeacherChannel(name, shape)) ?? describeOther(name, shape);
}

function describeTeacherChannel(name: string, shape: readonly number[]): ChannelFacts | undefined {
  const pattern = shape.length === 0 ? /^teacher_(.+)_logprobs$/ : /^teacher_(.+)_top_logprobs$/;
  const teacher = pattern.exec(name)?.[1];
  if (teacher === undefined) return undefined;
  const absence =
    "No score. The first token of a sequence never has one; the metadata `teachers` of the batch names sessions that lack scores.";
  if (shape.length === 0) {
    const meaning = "The log probability that the teacher gives the token, at temperature 1.";
    return { values: "logprobs", title: `Teacher ${teacher}`, meaning, absence };
  }
  return {
    values: "logprobs",
    title: `Alternatives of teacher ${teacher}`,
    meaning: "The tokens that the teacher finds most likely at this position, the most likely first, at temperature 1.",
    absence,
    ids: name.replace(/logprobs$/, "ids"),
  };
}

/** Describes the token ids of log probabilities, and channels without a known meaning. */
function describeOther(name: string, shape: readonly number[]): ChannelFacts {
  const owner = name.replace(/_ids$/, "_logprobs");
  if (owner !== name && describeChannel(owner, shape).ids === name) {
    const meaning = `The tokens whose log probabilities are in ${owner}.`;
    return { values: "token_ids", title: name, meaning, absence: "No tokens are recorded." };
  }
  const meaning = "A channel that a trainer recorded.";
  return { values: "numbers", title: name, meaning, absence: "No value is recorded." };
}

/** The channels that a session does not record, although its server does. */
export const withoutChannelsSchema = z
  .array(z.union([z.enum(ENGINE_CHANNELS, NAME), teacherChannel], NAME))
  .max(64)
  .optional()
  .describe(
    `Channels that the session does not record, although its server does: ${LISTED}, and \`teacher_NAME\` of a teacher.`,
  );

export type WithoutChannels = z.output<typeof withoutChannelsSchema>;

/** Returns the bytes of an expert's index in the channel `routed_experts`. */
export function expertIndexBytes(experts: number): 1 | 2 {
  return experts > 256 ? 2 : 1;
}
