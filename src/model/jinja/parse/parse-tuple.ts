import type { Expression } from "../ast.js";
import type { TokenStream } from "./token-stream.js";

/** Reads an expression. Parsers of its parts take it as a parameter, because each of them may contain expressions. */
export type ParseExpression = (stream: TokenStream) => Expression;

/**
 * Reads an expression, or a tuple without parentheses: expressions between commas, of which the last one may have a comma
 * too.
 *
 * @param parseItem reads one of the expressions
 */
export function parseTuple(stream: TokenStream, parseItem: ParseExpression): Expression {
  const first = parseItem(stream);
  if (!stream.isOperator(",")) return first;
  const items = [first];
  while (stream.acceptOperator(",") && !isTupleEnd(stream)) items.push(parseItem(stream));
  return { type: "TupleLiteral", items };
}

/** Returns true at a token that cannot begin an item: the comma before it was the last. */
export function isTupleEnd(stream: TokenStream): boolean {
  const { type } = stream.current;
  return type === "tag_end" || type === "expression_end" || stream.isOperator(")");
}
