import { schemaRef } from "./document.js";
import { INNER_SCHEMAS } from "./operations.js";
/** Schemas by name. A name stands for one schema only. */
export class NamedSchemas {
    #schemas = new Map();
    /** Names by the JSON text of their schemas. */
    #names = new Map();
    /** @throws Error if the name stands for another schema */
    add(name, schema) {
        const text = JSON.stringify(schema);
        const known = this.#schemas.get(name);
        if (known && JSON.stringify(known) !== text)
            throw new Error(`Two schemas of the API have the name ${name}.`);
        this.#schemas.set(name, schema);
        if (!this.#names.has(text))
            this.#names.set(text, name);
    }
    /** Gives the schemas inside others their names. */
    addInner() {
        for (const [name, [outer = "", ...path]] of Object.entries(INNER_SCHEMAS)) {
            const found = path.reduce((node, key) => Object(node)[key], this.#schemas.get(outer));
            if (typeof found !== "object" || found === null)
                throw new Error(`The API has no schema ${outer} › ${path.join(" › ")}.`);
            this.add(name, found);
        }
    }
    /** Returns all schemas; each is a reference wherever another one contains it. */
    list() {
        const entries = [...this.#schemas].map(([name, schema]) => {
            const same = this.#names.get(JSON.stringify(schema));
            return [name, same === name || same === undefined ? this.#refer(schema, true) : schemaRef(same)];
        });
        return Object.fromEntries(entries);
    }
    #refer(node, isTop = false) {
        const name = isTop ? undefined : this.#names.get(JSON.stringify(node));
        if (name !== undefined)
            return schemaRef(name);
        if (Array.isArray(node))
            return node.map((each) => this.#referValue(each));
        return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, this.#referValue(value)]));
    }
    #referValue(value) {
        return typeof value === "object" && value !== null ? this.#refer(value) : value;
    }
}
/** Replaces the schemas of an operation's body and JSON answers by references to named ones. */
export function nameSchemas(operation, facts, named) {
    moveSchema(operation.requestBody?.content, facts.request, named);
    for (const [status, { content }] of Object.entries(operation.responses)) {
        if (Number(status) < 300 || facts.tag === "Service")
            moveSchema(content, facts.answer, named);
    }
}
function moveSchema(content, name, named) {
    const json = content?.["application/json"];
    if (!json?.schema || name === undefined)
        return;
    named.add(name, json.schema);
    json.schema = schemaRef(name);
}
//# sourceMappingURL=name-schemas.js.map