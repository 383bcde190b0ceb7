import { type Callable, Markup } from "../values/value.js";
import type { Method } from "./method.js";
/** Binds a method of `str` to markup. Text that the method inserts is escaped first; text that it returns is markup. */
export declare function markupMethod(self: Markup, name: string, method: Method<string>): Callable;
