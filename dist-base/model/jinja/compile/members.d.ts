import type { AttributeNode, Expression, ItemNode } from "../ast.js";
import type { Evaluate } from "./compiled.js";
type Compile = (node: Expression) => Evaluate;
/** Compiles `object.name`. */
export declare function compileAttribute({ object, name }: AttributeNode, compile: Compile): Evaluate;
/** Compiles `object[key]` and `object[start:stop:step]`. */
export declare function compileItem({ object, key }: ItemNode, compile: Compile): Evaluate;
export {};
