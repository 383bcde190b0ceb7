import { type Value } from "../values/value.js";
/**
 * Returns a function that reads an attribute by its path, such as `function.name` or `0`.
 *
 * @param otherwise the value of a missing attribute; if undefined, that value is Jinja's undefined
 */
export declare function attributeGetter(attribute: Value, otherwise?: Value): (item: Value) => Value;
