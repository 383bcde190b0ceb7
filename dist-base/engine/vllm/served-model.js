import { EngineError } from "../engine.js";
import { statusError } from "../servers/wire/errors.js";
import { jsonObject, positiveInteger } from "../servers/wire/json.js";
/**
 * Asks a server for a model.
 *
 * @param name the model to find; if undefined, the first one that is not an adapter of another
 */
export async function askServedModel(server, name) {
    const { status, body } = await server.get("v1/models");
    if (status !== 200)
        throw statusError(status, body);
    const model = findServedModel(body, name);
    if (model)
        return model;
    const missing = name === undefined ? "any model" : `the model ${name}`;
    throw new EngineError("engine_error", `The engine does not serve ${missing}.`);
}
export function findServedModel(body, name) {
    const { data } = jsonObject(body);
    const entries = (Array.isArray(data) ? data : []).map((entry) => Object(entry));
    const found = entries.find(({ id, parent }) => (name === undefined ? (parent ?? null) === null : id === name));
    const id = found?.["id"];
    return typeof id === "string" ? { name: id, contextLength: positiveInteger(found?.["max_model_len"]) } : undefined;
}
//# sourceMappingURL=served-model.js.map