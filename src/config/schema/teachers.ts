import { z } from "zod";
import { baseUrl, seconds, VISIBLE_ASCII } from "./values.js";

/** Returns an error without the received value, which may be a key. The default message shows it. */
const expected = (phrase: string) => ({ error: `expected ${phrase}` });

const NAME = expected("a letter a to z, then letters, digits and _, at most 32 characters");
const URLS = expected("a list of http or https URLs without query or fragment");
const KEY = expected("visible ASCII characters without spaces");
const MAX_TOP_K = 100;

/** A model that scores recorded tokens. */
const teacher = z
  .strictObject({
    name: z.string(NAME).regex(/^[a-z][a-z0-9_]{0,31}$/, NAME),
    engine: z.enum(["sglang", "vllm"], expected("sglang or vllm")),
    urls: z
      .array(
        z.string(URLS).refine((text) => baseUrl.safeParse(text).success, URLS),
        URLS,
      )
      .min(1, URLS),
    model: z.string(expected("a model name")).min(1).nullish(),
    top_k: z.int(expected("an integer from 0 to 100")).min(0).max(MAX_TOP_K).default(0),
    when: z.enum(["export", "end"], expected("export or end")).default("export"),
    max_inflight: z.int(expected("an integer of 1 or more")).min(1).max(1024).default(8),
    timeout_seconds: seconds.gt(0, expected("a number of seconds above 0")).default(600),
    api_key: z.string(KEY).regex(VISIBLE_ASCII, KEY).nullish(),
  })
  .superRefine(({ engine, model }, context) => {
    if (engine === "sglang" && typeof model === "string")
      context.addIssue({
        code: "custom",
        message: "expected no model, because only vLLM servers are asked for one by name",
      });
  })
  .meta({ expected: "a map of name, engine and urls" });

/** The models that score recorded tokens, with different names. */
export const teachers = z
  .array(teacher)
  .default([])
  .superRefine((list, context) => {
    const names = list.map(({ name }) => name);
    if (new Set(names).size < names.length)
      context.addIssue({ code: "custom", message: "expected a different name for each teacher" });
  });

export type TeacherSetting = z.output<typeof teacher>;
