import type { FilterNode, ForNode, IfNode, SetNode, Statement, Target, WithNode } from "../ast.js";
import { CONSTANTS } from "../constants.js";
import { parseParameters } from "./parse-arguments.js";
import { parseExpression, parseFilter, parseFilterName, parseOr } from "./parse-expression.js";
import { isTupleEnd, parseTuple } from "./parse-tuple.js";
import type { TokenStream } from "./token-stream.js";

/**
 * Reads statements up to a tag with one of these names; the name is then the current token. Without names, reads to the end of
 * the template.
 */
export function parseBody(stream: TokenStream, endings: readonly string[]): Statement[] {
  const body: Statement[] = [];
  for (;;) {
    const { type } = stream.current;
    if (type === "end") {
      if (endings.length > 0) throw stream.unexpected(`{% ${endings.join(" %} or {% ")} %}`);
      return body;
    }
    const { text } = stream.take();
    if (type === "data") body.push({ type: "StringLiteral", value: text });
    else if (type === "expression_begin") {
      body.push(parseTuple(stream, parseExpression));
      stream.expectEnd("expression_end");
    } else {
      if (stream.isName(...endings)) return body;
      body.push(parseTag(stream));
      stream.expectEnd("tag_end");
    }
  }
}

type ParseTag = (stream: TokenStream) => Statement;

const TAGS: ReadonlyMap<string, ParseTag> = new Map<string, ParseTag>([
  ["if", parseIf],
  ["for", parseFor],
  ["set", parseSet],
  ["with", parseWith],
  ["macro", parseMacro],
  ["call", parseCall],
  ["filter", parseFilterBlock],
  ["generation", (stream) => ({ type: "Generation", body: parseBlock(stream, "endgeneration") })],
  ["break", () => ({ type: "Break" })],
  ["continue", () => ({ type: "Continue" })],
]);

/** Jinja2's other tags. Chat templates have no use for them. */
const UNSUPPORTED = new Set(["autoescape", "block", "extends", "from", "import", "include", "print"]);

/** Reads a tag, and for a block also its statements. The `%}` that ends the tag or the block is then the current token. */
function parseTag(stream: TokenStream): Statement {
  const { current } = stream;
  if (current.type !== "name") throw stream.unexpected("the name of a tag");
  const parse = TAGS.get(current.text);
  if (parse === undefined) {
    throw stream.error(
      UNSUPPORTED.has(current.text) ? `{% ${current.text} %} is not supported` : `unknown tag '${current.text}'`,
    );
  }
  stream.take();
  return parse(stream);
}

/** Reads the statements of a block after its tag. A colon at the tag's end is ignored, as in Jinja2. */
function parseStatements(stream: TokenStream, endings: readonly string[]): Statement[] {
  stream.acceptOperator(":");
  stream.expectEnd("tag_end");
  return parseBody(stream, endings);
}

function parseBlock(stream: TokenStream, ending: string): Statement[] {
  const body = parseStatements(stream, [ending]);
  stream.take();
  return body;
}

function parseIf(stream: TokenStream): IfNode {
  const test = parseTuple(stream, parseOr);
  const body = parseStatements(stream, ["elif", "else", "endif"]);
  const ending = stream.take().text;
  const alternate = ending === "elif" ? [parseIf(stream)] : ending === "else" ? parseBlock(stream, "endif") : [];
  return { type: "If", test, body, alternate };
}

function parseFor(stream: TokenStream): ForNode {
  const target = parseTarget(stream, false);
  if (!stream.acceptName("in")) throw stream.unexpected("'in'");
  const iterable = parseTuple(stream, parseOr);
  const condition = stream.acceptName("if") ? parseExpression(stream) : undefined;
  if (stream.isName("recursive")) throw stream.error("recursive loops are not supported");
  const body = parseStatements(stream, ["endfor", "else"]);
  const otherwise = stream.take().text === "else" ? parseBlock(stream, "endfor") : [];
  return { type: "For", target, iterable, condition, body, otherwise };
}

function parseSet(stream: TokenStream): SetNode {
  const target = parseTarget(stream, true);
  if (stream.acceptOperator("=")) {
    return { type: "Set", target, value: parseTuple(stream, parseExpression), filters: [], body: [] };
  }
  const filters = parseFilters(stream);
  return { type: "Set", target, value: undefined, filters, body: parseBlock(stream, "endset") };
}

function parseFilters(stream: TokenStream): FilterNode[] {
  const filters: FilterNode[] = [];
  while (stream.isOperator("|")) filters.push(parseFilter(stream));
  return filters;
}

function parseWith(stream: TokenStream): Statement {
  const variables: WithNode["variables"][number][] = [];
  while (stream.current.type !== "tag_end") {
    if (variables.length > 0) stream.expectOperator(",");
    const target = parseTarget(stream, false);
    stream.expectOperator("=");
    variables.push({ target, value: parseExpression(stream) });
  }
  return { type: "With", variables, body: parseBlock(stream, "endwith") };
}

function parseMacro(stream: TokenStream): Statement {
  const name = parseAssignedName(stream);
  return {
    type: "Macro",
    name,
    parameters: parseParameters(stream, parseExpression),
    body: parseBlock(stream, "endmacro"),
  };
}

function parseCall(stream: TokenStream): Statement {
  const parameters = stream.isOperator("(") ? parseParameters(stream, parseExpression) : [];
  const call = parseExpression(stream);
  if (call.type !== "CallExpression") throw stream.error("{% call %} requires a call");
  return { type: "CallStatement", call, parameters, body: parseBlock(stream, "endcall") };
}

function parseFilterBlock(stream: TokenStream): Statement {
  const filters = [parseFilterName(stream), ...parseFilters(stream)];
  return { type: "FilterStatement", filters, body: parseBlock(stream, "endfilter") };
}

/**
 * Reads what is assigned to: a name, or names between commas that unpack a value, with or without parentheses.
 *
 * @param hasAttributes true for `{% set %}`, which also assigns to attributes of namespaces
 */
function parseTarget(stream: TokenStream, hasAttributes: boolean): Target {
  const first = parseOne(stream, hasAttributes);
  if (stream.isOperator("[", ".")) throw stream.error("cannot assign to an item, only to an attribute of a namespace");
  if (!stream.isOperator(",")) return first;
  const items = [first];
  while (stream.acceptOperator(",") && !isTupleEnd(stream) && !stream.isName("in")) {
    items.push(parseOne(stream, hasAttributes));
  }
  return { type: "TupleTarget", items };
}

function parseOne(stream: TokenStream, hasAttributes: boolean): Target {
  if (stream.acceptOperator("(")) {
    const target = parseTarget(stream, false);
    stream.expectOperator(")");
    return target;
  }
  const name = parseAssignedName(stream);
  if (!hasAttributes || !stream.acceptOperator(".")) return { type: "Name", name };
  return { type: "AttributeTarget", namespace: { type: "Name", name }, attribute: stream.expectName() };
}

/** Reads a name that is no constant. */
function parseAssignedName(stream: TokenStream): string {
  if (stream.current.type === "name" && CONSTANTS.has(stream.current.text)) {
    throw stream.error(`cannot assign to '${stream.current.text}'`);
  }
  return stream.expectName();
}
