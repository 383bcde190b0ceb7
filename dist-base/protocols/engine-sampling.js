import { z } from "zod";
import { RESERVED_ARGS } from "../conversation/template-args.js";
import { withoutNulls } from "../support/json/without-nulls.js";
import { listOf } from "../support/schema/list-of.js";
import { jsonObjectSchema } from "./fields.js";
/** Fields that the APIs do not define, under the names that SGLang's and vLLM's own chat endpoints use. */
/** The limit exists because each interaction of a session keeps its template variables: long ones would fill the memory. */
const MAX_TEMPLATE_KWARGS_LENGTH = 65_536;
// Clients that send every option of a template send null for the options that are not set.
const templateKwargs = jsonObjectSchema.transform(withoutNulls).superRefine((args, context) => {
    if (JSON.stringify(args).length > MAX_TEMPLATE_KWARGS_LENGTH) {
        context.addIssue({
            code: "custom",
            message: `must have at most ${MAX_TEMPLATE_KWARGS_LENGTH} characters as JSON`,
        });
        return;
    }
    const reserved = Object.keys(args).find((name) => RESERVED_ARGS.has(name));
    if (reserved === undefined)
        return;
    context.addIssue({
        code: "custom",
        path: [reserved],
        message: "is reserved: the proxy sets this variable from the request",
    });
});
const MAX_BIASED_TOKENS = 1024;
const TOKEN_ID = /^(?:0|[1-9][0-9]{0,9})$/;
const logitBias = z
    .record(z.string(), z.number().min(-100).max(100))
    .superRefine((biases, context) => {
    const ids = Object.keys(biases);
    const invalid = ids.find((id) => !TOKEN_ID.test(id));
    if (invalid !== undefined) {
        const received = JSON.stringify(invalid.slice(0, 100));
        context.addIssue({ code: "custom", message: `keys must be token ids; received ${received}` });
    }
    else if (ids.length > MAX_BIASED_TOKENS) {
        const message = `must have at most ${MAX_BIASED_TOKENS} tokens; received ${ids.length}`;
        context.addIssue({ code: "custom", message });
    }
})
    .transform((biases) => Object.entries(biases)
    .map(([id, bias]) => [Number(id), bias])
    .filter(([, bias]) => bias !== 0)
    .sort(([a], [b]) => a - b));
/** Every endpoint accepts these fields. */
export const engineSampling = {
    min_p: z.number().min(0).max(1).optional(),
    repetition_penalty: z.number().gt(0).max(2).optional().describe("1 turns it off."),
    min_tokens: z.int32().min(0).optional().describe("Stop tokens are not sampled before this number of output tokens."),
    ignore_eos: z.boolean().optional().describe("The model's own stop tokens do not end the answer."),
    logit_bias: logitBias.optional().describe("Token ids and what is added to their logits."),
    stop_token_ids: listOf(z.int32().min(0), { max: 64 }).optional(),
    seed: z.int().optional(),
    chat_template_kwargs: templateKwargs
        .optional()
        .describe(`Variables for the chat template; at most ${MAX_TEMPLATE_KWARGS_LENGTH} characters as JSON.`),
};
/** Returns the sampling parameters of these fields. */
export function readEngineSampling(request) {
    return {
        minP: request.min_p ?? 0,
        repetitionPenalty: request.repetition_penalty ?? 1,
        minTokens: request.min_tokens ?? 0,
        ignoreEos: request.ignore_eos ?? false,
        logitBias: request.logit_bias ?? [],
        stopTokenIds: request.stop_token_ids ?? [],
    };
}
//# sourceMappingURL=engine-sampling.js.map