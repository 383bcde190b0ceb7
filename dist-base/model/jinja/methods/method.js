import { typeName, Undefined } from "../values/value.js";
/** Stands for a method that would change its object. Jinja2's immutable sandbox refuses these. */
export function unsafeMethod(object, name) {
    return new Undefined(() => `access to attribute '${name}' of '${typeName(object)}' object is unsafe.`);
}
//# sourceMappingURL=method.js.map