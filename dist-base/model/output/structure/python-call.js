import { member } from "../tool-schema.js";
import { tag } from "./format.js";
/** Any value is allowed deeper in a schema. */
const MAX_DEPTH = 8;
/** Rules for values of any type, in xgrammar's EBNF. Strings have only the escapes that Python and JSON share. */
const BASE = String.raw `
comma ::= "," " "?
colon ::= ":" " "?
string ::= "\"" ([^"\\\n] | escape)* "\"" | "'" ([^'\\\n] | escape)* "'"
escape ::= "\\" ["'\\bfnrt] | "\\u" [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F] [0-9a-fA-F]
integer ::= "-"? ("0" | [1-9] [0-9]*)
number ::= integer ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
boolean ::= "True" | "False"
none ::= "None"
list ::= "[" (any (comma any)*)? "]"
dict ::= "{" (pair (comma pair)*)? "}"
pair ::= string colon any
any ::= string | number | boolean | none | list | dict
arguments ::= "" | argument (comma argument)*
argument ::= [A-Za-z_] [A-Za-z0-9_]* "=" any`;
const RULES = new Map([
    ["string", "string"],
    ["integer", "integer"],
    ["number", "number"],
    ["boolean", "boolean"],
    ["null", "none"],
    ["array", "list"],
    ["object", "dict"],
]);
/** Describes a call in Python's syntax, `f(a=1, b="x")`, with the arguments in the order of the tool's schema. */
export function describePythonCall(tool) {
    const grammar = new PythonGrammar().describe(member(tool.function, "parameters"));
    return tag(`${tool.function.name}(`, { type: "grammar", grammar }, ")");
}
/** Collects the rules of a grammar for the arguments of one tool. */
class PythonGrammar {
    #rules = [];
    describe(schema) {
        const root = listProperties(schema) ? this.#members(schema, (key) => `${key}=`, 0) : "arguments";
        return `root ::= ${root}\n${[...this.#rules, BASE.trim()].join("\n")}\n`;
    }
    #value(schema, depth) {
        const values = member(schema, "enum") ?? (member(schema, "const") === undefined ? [] : [member(schema, "const")]);
        if (Array.isArray(values) && values.length > 0)
            return choice(values.flatMap(spellLiteral).map(quote));
        const choices = member(schema, "anyOf") ?? member(schema, "oneOf");
        if (depth > MAX_DEPTH || member(schema, "$ref") !== undefined)
            return "any";
        if (Array.isArray(choices))
            return choice(choices.map((each) => this.#value(each, depth + 1)));
        const type = member(schema, "type");
        const types = Array.isArray(type) ? type : [type];
        const known = types.map((each) => this.#typed(each, schema, depth));
        return choice(member(schema, "nullable") === true ? [...known, "none"] : known);
    }
    #typed(type, schema, depth) {
        const items = member(schema, "items");
        if (type === "array" && items !== undefined) {
            const item = this.#add(this.#value(items, depth + 1));
            return `"[" (${item} (comma ${item})*)? "]"`;
        }
        if (type === "object" && listProperties(schema)) {
            return `"{" ${this.#members(schema, (key) => `"${key}": `, depth + 1)} "}"`;
        }
        return RULES.get(type) ?? "any";
    }
    /**
     * Describes members with commas between them. Each place has two rules: nothing is written yet, and something is. Both
     * may leave out an optional member.
     */
    #members(schema, open, depth) {
        const required = member(schema, "required");
        let [first, later] = ['""', '""'];
        for (const [key, property] of Object.entries(listProperties(schema) ?? {}).reverse()) {
            const isOptional = !(Array.isArray(required) && required.includes(key));
            const written = this.#add(`${quote(open(key))} ${this.#value(property, depth + 1)} ${later}`);
            first = this.#add(isOptional ? `${written} | ${first}` : written);
            later = this.#add(isOptional ? `comma ${written} | ${later}` : `comma ${written}`);
        }
        return first;
    }
    /** Adds a rule and returns its name. */
    #add(body) {
        const name = `r${this.#rules.length}`;
        this.#rules.push(`${name} ::= ${body}`);
        return name;
    }
}
const listProperties = (schema) => {
    const properties = member(schema, "properties");
    return typeof properties === "object" && properties !== null ? properties : undefined;
};
const choice = (bodies) => bodies.length === 1 ? (bodies[0] ?? "") : `(${bodies.join(" | ")})`;
/** Returns a text as a literal of the grammar. */
const quote = (text) => JSON.stringify(text);
/** Spells a JSON value as Python literals: a string in both kinds of quotes. */
function spellLiteral(value) {
    if (typeof value === "string") {
        const inDouble = JSON.stringify(value);
        return /['"\\]/.test(inDouble.slice(1, -1)) ? [inDouble] : [inDouble, `'${value}'`];
    }
    if (typeof value === "boolean")
        return [value ? "True" : "False"];
    if (value === null)
        return ["None"];
    return typeof value === "number" ? [JSON.stringify(value)] : [];
}
//# sourceMappingURL=python-call.js.map