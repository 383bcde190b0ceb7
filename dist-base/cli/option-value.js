import { InvalidArgumentError } from "commander";
import { z } from "zod";
import { describeExpected } from "../support/schema/expected-text.js";
/**
 * Returns a parser for the argument of an option. It returns the argument, as text or as a number, if the schema allows it.
 *
 * @throws InvalidArgumentError with the allowed values. Commander puts the option and the received text before it.
 */
export function optionValue(schema) {
    return (text) => {
        const asText = schema.safeParse(text);
        if (asText.success)
            return asText.data;
        const asNumber = schema.safeParse(text.trim() === "" ? text : Number(text));
        if (asNumber.success)
            return asNumber.data;
        throw new InvalidArgumentError(`Expected ${describeExpected(z.toJSONSchema(schema, { io: "input" }))}.`);
    };
}
//# sourceMappingURL=option-value.js.map