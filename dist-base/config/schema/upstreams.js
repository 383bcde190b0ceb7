import { z } from "zod";
import { baseUrl, seconds, VISIBLE_ASCII } from "./values.js";
/** Maximum length of a requested model name, in characters. */
const MAX_NAME_LENGTH = 1024;
/** Returns an error without the received value, which may be a key. The default message shows it. */
const expected = (phrase) => ({ error: `expected ${phrase}` });
const NAMES = expected("a list of model names, each with at most one *");
const modelName = z
    .string(NAMES)
    .max(MAX_NAME_LENGTH, NAMES)
    .regex(/^(?!$)[^*]*\*?[^*]*$/, NAMES);
// A union instead of a transformation, which would hide the default from the documentation.
const modelNames = z.union([modelName, z.array(modelName).min(1, NAMES)], NAMES);
const KEY = expected("visible ASCII characters without spaces");
const URL_WITHOUT_PASSWORD = expected("an http or https URL without password, query or fragment");
const TIMEOUT = expected("a number of seconds above 0");
/** Model names whose calls another server answers, or that are refused. */
export const upstream = z
    .strictObject({
    models: modelNames,
    url: z
        .string(URL_WITHOUT_PASSWORD)
        .refine((text) => baseUrl.safeParse(text).success && !hasUser(text), URL_WITHOUT_PASSWORD)
        .nullish(),
    api_key: z.string(KEY).regex(VISIBLE_ASCII, KEY).nullish(),
    api_key_env: z.string(expected("the name of an environment variable")).min(1).nullish(),
    model: z.string(expected("a model name")).min(1).max(MAX_NAME_LENGTH).nullish(),
    timeout_seconds: seconds.gt(0, TIMEOUT).nullish(),
    refuse: z.boolean(expected("true or false")).nullish(),
})
    .superRefine((entry, context) => {
    const { models: _, refuse, ...server } = entry;
    const addIssue = (message) => context.addIssue({ code: "custom", message });
    const given = Object.entries(server).filter(([, value]) => value !== undefined && value !== null);
    if (refuse && given.length > 0)
        addIssue("expected no key besides models, because refuse is true");
    if (!refuse && !server.url)
        addIssue("expected url, or refuse: true");
    if (server.api_key && server.api_key_env)
        addIssue("expected api_key or api_key_env, not both");
})
    .meta({ expected: "a map of models and url, or of models and refuse" });
function hasUser(text) {
    const { username, password } = new URL(text);
    return username !== "" || password !== "";
}
//# sourceMappingURL=upstreams.js.map