import { z } from "zod";

/** The channels that engines give, by the name of their first tensor in batches. */
export const ENGINE_CHANNELS = ["routed_experts", "kept_ids", "top_logprobs", "token_ids_logprobs"] as const;

export type EngineChannel = (typeof ENGINE_CHANNELS)[number];

const teacherChannel = z.templateLiteral(["teacher_", z.string().regex(/^[a-z][a-z0-9_]*$/)]);

/** The channels that a session does not record, although its server does. */
export const withoutChannelsSchema = z
  .array(z.enum(ENGINE_CHANNELS).or(teacherChannel))
  .max(64)
  .optional()
  .describe(
    `Channels that the session does not record, although its server does: ${ENGINE_CHANNELS.map((name) => `\`${name}\``).join(", ")}, and \`teacher_NAME\` of a teacher.`,
  );

export type WithoutChannels = z.output<typeof withoutChannelsSchema>;

/** Returns the bytes of an expert's index in the channel `routed_experts`. */
export function expertIndexBytes(experts: number): 1 | 2 {
  return experts > 256 ? 2 : 1;
}
