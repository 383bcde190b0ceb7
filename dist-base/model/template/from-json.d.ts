import type { Steps } from "../../support/async/steps.js";
import { type Value } from "../jinja/index.js";
/**
 * Converts JSON text in steps to a template value like Python's `json.loads`: 1.0 stays a float, integers stay exact, keys keep
 * their order.
 *
 * @throws JsonError if the text is not JSON, JsonDepthError if it nests too deeply
 */
export declare const fromJson: (text: string) => Steps<Value>;
/**
 * Reads a JSON number: a float if it has a point or an exponent, otherwise an integer of any size.
 *
 * @throws JsonError if an integer has more digits than Python accepts
 */
export declare function numberValue(text: string): Value;
