import { z } from "zod";
import { MAX_INFLIGHT } from "./engine.js";
import { baseUrl, seconds, VISIBLE_ASCII } from "./values.js";

/** Returns an error without the received value, which may be a key. The default message shows it. */
const expected = (phrase: string) => ({ error: `expected ${phrase}` });

const NAME = expected("a model name of at most 128 characters without spaces");
const URLS = expected("a list of http or https URLs without query or fragment");
const KEY = expected("visible ASCII characters without spaces");
const FOLDER = expected("the folder of a model");
const COUNT = expected("an integer of 1 or more");

const key = z.string(KEY).regex(VISIBLE_ASCII, KEY).nullish();

/** A further model that the server answers, with engine servers of its own. */
const namedEngine = z
  .strictObject({
    name: z
      .string(NAME)
      .regex(/^[\x21-\x7e]{1,128}$/, NAME)
      .regex(/^[^*]*$/, NAME),
    type: z.enum(["sglang", "vllm"], expected("sglang or vllm")),
    urls: z
      .array(
        z.string(URLS).refine((text) => baseUrl.safeParse(text).success, URLS),
        URLS,
      )
      .min(1, URLS),
    path: z.string(FOLDER).min(1, FOLDER).nullish(),
    frozen: z.boolean(expected("true or false")).default(false),
    served_model: z.string(expected("a model name")).min(1).nullish(),
    context_length: z.int(COUNT).min(1, COUNT).nullish(),
    max_inflight: z.int(COUNT).min(1, COUNT).max(MAX_INFLIGHT).default(1024),
    timeout_seconds: seconds.default(3600),
    api_key: key,
    admin_api_key: key,
  })
  .superRefine(({ type, served_model, admin_api_key }, context) => {
    const addIssue = (message: string) => context.addIssue({ code: "custom", message });
    if (type === "sglang" && served_model) addIssue("expected no served_model, because only vLLM requests one by name");
    if (type === "vllm" && admin_api_key) addIssue("expected no admin_api_key, because only SGLang has one");
  })
  .meta({ expected: "a map of name, type and urls" });

/** The further models, with different names. */
export const engines = z
  .array(namedEngine)
  .default([])
  .superRefine((list, context) => {
    const names = list.map(({ name }) => name);
    if (new Set(names).size < names.length)
      context.addIssue({ code: "custom", message: "expected a different name for each engine" });
  });

export type NamedEngineSetting = z.output<typeof namedEngine>;
