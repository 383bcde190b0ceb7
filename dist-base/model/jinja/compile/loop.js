import { equal } from "../values/compare.js";
import { PythonObject, Undefined } from "../values/value.js";
/** Number of iterations of an outermost loop in one step. The caller decides how many steps it runs before it pauses. */
const ITERATIONS_PER_STEP = 16;
/** Runs the body for each item in a scope of its own, so an iteration does not see variables of the previous one. */
export function runLoop({ items: evaluate, assign, body, otherwise }) {
    return (scope, output) => {
        const items = evaluate(scope);
        if (items.length === 0)
            return otherwise(scope.inner(), output);
        const loop = new LoopVariable(items);
        const iterate = createIteration({ assign, body }, loop, scope, output);
        for (const [index, item] of items.entries())
            if (iterate(index, item) === "break")
                break;
        return undefined;
    };
}
/** Runs like {@link runLoop}, in steps of some iterations. */
export function* runLoopInSteps({ items: evaluate, assign, body, otherwise }, scope, output) {
    const items = evaluate(scope);
    if (items.length === 0) {
        otherwise(scope.inner(), output);
        return;
    }
    const iterate = createIteration({ assign, body }, new LoopVariable(items), scope, output);
    for (const [index, item] of items.entries()) {
        if (index % ITERATIONS_PER_STEP === ITERATIONS_PER_STEP - 1)
            yield;
        if (iterate(index, item) === "break")
            break;
    }
}
function createIteration({ assign, body }, loop, scope, output) {
    return (index, item) => {
        loop.moveTo(index);
        const inner = scope.inner();
        inner.set("loop", loop);
        assign(inner, item);
        return body(inner, output);
    };
}
/** The variable `loop`: one for all iterations of a loop, as in Jinja2. */
class LoopVariable extends PythonObject {
    typeName = "LoopContext";
    #items;
    #index = 0;
    #lastValues;
    constructor(items) {
        super();
        this.#items = items;
    }
    moveTo(index) {
        this.#index = index;
    }
    attribute(name) {
        const index = this.#index;
        const length = this.#items.length;
        switch (name) {
            case "index":
                return index + 1;
            case "index0":
                return index;
            case "revindex":
                return length - index;
            case "revindex0":
                return length - index - 1;
            case "first":
                return index === 0;
            case "last":
                return index === length - 1;
            case "length":
                return length;
            case "depth":
                // Only recursive loops are deeper, and the parser does not support them.
                return 1;
            case "depth0":
                return 0;
            case "previtem":
                return this.#items[index - 1] ?? new Undefined(() => "there is no previous item");
            case "nextitem":
                return this.#items[index + 1] ?? new Undefined(() => "there is no next item");
            case "cycle":
                return (args) => this.#cycle(args);
            case "changed":
                return (args) => this.#changed(args);
            default:
                return undefined;
        }
    }
    repr() {
        return `<LoopContext ${this.#index + 1}/${this.#items.length}>`;
    }
    #cycle(items) {
        return items[this.#index % items.length] ?? new Undefined(() => "no items for cycling given");
    }
    /** Returns true if the values differ from those of the previous call. */
    #changed(values) {
        if (this.#lastValues !== undefined && equal(this.#lastValues, values))
            return false;
        this.#lastValues = values;
        return true;
    }
}
//# sourceMappingURL=loop.js.map