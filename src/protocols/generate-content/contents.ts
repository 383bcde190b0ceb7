import { z } from "zod";
import { acceptAsWritten } from "../../conversation/accept-as-written.js";
import { listOf } from "../../support/schema/list-of.js";
import { isEmpty, jsonObjectSchema, noEffect, unsupported, wellFormed } from "../fields.js";
import { mediaFields, responseParts } from "./media.js";
import { protoEnum, protoList, protoObject } from "./proto-json.js";

/** Schemas of Gemini's contents and their parts. */

const isFalse = (value: unknown) => value === false;

/** Any name is accepted: the call may be of an earlier answer, which has the name that the model wrote. */
const functionCall = protoObject({
  id: wellFormed.optional(),
  name: wellFormed.pipe(z.string().min(1)),
  args: acceptAsWritten(jsonObjectSchema).optional(),
  partialArgs: unsupported("partialArgs", isEmpty),
  willContinue: unsupported("willContinue: true", isFalse),
});

const functionResponse = protoObject({
  id: wellFormed.optional(),
  name: wellFormed,
  response: acceptAsWritten(jsonObjectSchema).optional(),
  parts: responseParts,
  willContinue: unsupported("willContinue: true", isFalse),
  scheduling: noEffect,
});

const partFields = protoObject({
  text: wellFormed.optional(),
  functionCall: functionCall.optional(),
  functionResponse: functionResponse.optional(),
  ...mediaFields,
  executableCode: unsupported("executableCode"),
  codeExecutionResult: unsupported("codeExecutionResult"),
  toolCall: unsupported("toolCall"),
  toolResponse: unsupported("toolResponse"),
  audioTranscription: unsupported("audioTranscription"),
  thought: z.boolean().optional().describe("The text is the model's reasoning."),
  thoughtSignature: z.string().optional().describe("Signature of the answer that the part is from."),
  videoMetadata: noEffect,
  mediaResolution: noEffect,
  mediaProcessing: noEffect,
  speechMetadata: noEffect,
  partMetadata: noEffect,
});

export type GeminiPart = z.output<typeof partFields>;

const DATA = ["text", "functionCall", "functionResponse", "inlineData", "fileData"] as const;
/** Data that only the user sends. */
const OF_USER = ["functionResponse", "inlineData", "fileData"] as const;

const part = partFields.superRefine((value, context) => {
  const set = DATA.filter((name) => value[name] !== undefined);
  // A signature alone stands for an empty text: some clients leave out empty fields.
  if (set.length === 1 || (set.length === 0 && value.thoughtSignature !== undefined)) return;
  const received = set.length === 0 ? "none" : set.join(" and ");
  context.addIssue({
    code: "custom",
    message: `must have one of ${DATA.join(", ")}; received ${received}`,
  });
});

const parts = protoList(listOf(part));

/** `function` is an older role of function responses. A content without a role is the user's. */
const role = protoEnum(["USER", "MODEL", "FUNCTION"])
  .optional()
  .transform((value) => (value === "MODEL" ? "model" : "user"));

const content = protoObject({ role, parts: parts.optional() }).superRefine(
  ({ role: sender, parts: sent = [] }, context) => {
    if (sender === "user" && sent.length === 0)
      context.addIssue({ code: "custom", path: ["parts"], message: NO_PARTS });
    const foreign = sender === "user" ? (["functionCall"] as const) : OF_USER;
    const owner = sender === "user" ? "model" : "user";
    const message = `belongs to a content of the role ${owner}; received one of the role ${sender}`;
    sent.forEach((each, index) => {
      const field = foreign.find((name) => each[name] !== undefined);
      if (field !== undefined) context.addIssue({ code: "custom", path: ["parts", index, field], message });
    });
  },
);

const NO_PARTS = "must hold at least 1";

export const contents = protoList(listOf(content, { min: 1, once: true }));

export type GeminiContent = z.output<typeof content>;

const systemPart = partFields.superRefine((value, context) => {
  if (DATA.some((name) => name !== "text" && value[name] !== undefined)) {
    context.addIssue({ code: "custom", message: "must be text" });
  }
});

/** The parts of the system instruction. Its role has no effect. */
export const systemInstruction = protoObject({ role: noEffect, parts: protoList(listOf(systemPart)).optional() });

export type SystemInstruction = z.output<typeof systemInstruction>;
