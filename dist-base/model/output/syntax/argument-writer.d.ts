import type { PendingCall } from "../message/pending-call.js";
import { type ValueRules } from "./argument-json.js";
/**
 * Builds the JSON text of arguments that a model did not write as JSON, one complete argument after another.
 */
export declare class ArgumentWriter {
    #private;
    constructor(call: PendingCall);
    get isEmpty(): boolean;
    /** @param types the JSON types that the tool's schema allows; undefined if it does not say */
    addText(key: string, value: string, types: ReadonlySet<string> | undefined, rules: ValueRules): void;
    /** @param json the value's JSON text */
    add(key: string, json: string): void;
    end(): void;
}
