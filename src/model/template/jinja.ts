import * as library from "@huggingface/jinja";

/**
 * The parts of @huggingface/jinja 0.5.11 that rendering as Python does is built on, with their types. The package
 * parses templates well, but evaluates them as JavaScript would; the methods by which it evaluates are where it is
 * corrected, in a subclass, so that nothing of the package itself changes for others in the process. They are
 * private to it and its types do not resolve under Node's module resolution: hence the declarations here, and a
 * version pinned exactly.
 */

/** A value while a template runs. `type` is the class's name. */
export interface Value {
  readonly type: string;
  readonly value: unknown;
  /** Python's truth value. */
  __bool__(): Value;
}

export interface TypedValue<T> extends Value {
  readonly value: T;
}

/** A function that a template calls. Keyword arguments come last, as a {@link KeywordArguments}. */
export type TemplateFunction = (args: Value[], scope: Scope) => Value;

/** Keys of a dict. JSON has strings only; templates write integers too. */
export type Key = string | number;

export interface Scope {
  readonly variables: Map<string, Value>;
  readonly parent?: Scope;
  setVariable(name: string, value: Value): Value;
}

/** Nodes of a parsed template: those that are looked into here. */
export interface Node {
  readonly type: string;
}
export interface Program extends Node {
  readonly body: readonly Node[];
}
export interface NamedNode extends Node {
  readonly value: string;
}
export interface TupleNode extends Node {
  readonly value: readonly Node[];
}
export interface ObjectNode extends Node {
  readonly value: ReadonlyMap<Node, Node>;
}
export interface ForNode extends Node {
  readonly loopvar: Node;
  readonly iterable: Node;
  readonly body: readonly Node[];
  readonly defaultBlock: readonly Node[];
}
export interface IfNode extends Node {
  readonly test: Node;
  readonly body: readonly Node[];
  readonly alternate: readonly Node[];
}
export interface SelectNode extends Node {
  readonly lhs: Node;
  readonly test: Node;
}
export interface SetNode extends Node {
  readonly assignee: Node;
  /** Null for `{% set x %}…{% endset %}`, whose text is in the body. */
  readonly value: Node | null;
  readonly body: readonly Node[];
}
export interface MacroNode extends Node {
  readonly name: NamedNode;
}
export interface BinaryNode extends Node {
  readonly operator: { readonly value: string };
  readonly left: Node;
  readonly right: Node;
}
export interface UnaryNode extends Node {
  readonly operator: { readonly value: string };
  readonly argument: Node;
}
export interface MemberNode extends Node {
  readonly object: Node;
  readonly property: Node;
  /** `object[property]` rather than `object.property`. */
  readonly computed: boolean;
}
export interface SliceNode extends Node {
  readonly start?: Node;
  readonly stop?: Node;
  readonly step?: Node;
}
export interface TestNode extends Node {
  readonly operand: Node;
  readonly negate: boolean;
  readonly test: NamedNode;
}
export interface CallNode extends Node {
  readonly callee: Node;
  readonly args: readonly Node[];
}

/** The methods by which the package evaluates a template. */
export interface LibraryInterpreter {
  evaluate(node: Node | undefined, scope: Scope): Value;
  evaluateBlock(nodes: readonly Node[], scope: Scope): TypedValue<string>;
  evaluateIdentifier(node: NamedNode, scope: Scope): Value;
  evaluateArguments(args: readonly Node[], scope: Scope): [Value[], Map<string, Value>];
  evaluateBinaryExpression(node: BinaryNode, scope: Scope): Value;
  evaluateUnaryExpression(node: UnaryNode, scope: Scope): Value;
  evaluateMemberExpression(node: MemberNode, scope: Scope): Value;
  evaluateCallExpression(node: CallNode, scope: Scope): Value;
  evaluateTestExpression(node: TestNode, scope: Scope): Value;
  evaluateFor(node: ForNode, scope: Scope): Value;
  evaluateIf(node: IfNode, scope: Scope): Value;
  evaluateSet(node: SetNode, scope: Scope): Value;
  evaluateMacro(node: MacroNode, scope: Scope): Value;
  applyFilter(operand: Value, filter: NamedNode | CallNode, scope: Scope): Value;
}

interface Library {
  readonly Environment: new (parent?: Scope) => Scope & { set(name: string, value: unknown): Value };
  readonly Interpreter: new (scope: Scope) => LibraryInterpreter;
  tokenize(source: string, options: { lstrip_blocks: boolean; trim_blocks: boolean }): unknown;
  parse(tokens: unknown): Program;
}

const jinja = library as unknown as Library;
export const { Environment, Interpreter } = jinja;

/**
 * Parses a template as `transformers` configures Jinja2: `trim_blocks` and `lstrip_blocks`, every line end a newline.
 * Throws on bad syntax, and on what the package does not know: `{% raw %}`, `{% include %}`, tests with arguments.
 */
export function parseTemplate(source: string): Program {
  return jinja.parse(jinja.tokenize(source.replace(/\r\n?/g, "\n"), { lstrip_blocks: true, trim_blocks: true }));
}

export type ValueClass<T> = new (value: T) => TypedValue<T>;

// The value classes are not exported, but whatever makes a value of one gives it away.
const probe = new Environment();
let probes = 0;
function classOf<T>(sample: unknown): ValueClass<T> {
  return probe.set(`probe${probes++}`, sample).constructor as ValueClass<T>;
}

function classOfResult<T>(expression: string): ValueClass<T> {
  const [node] = parseTemplate(`{{ ${expression} }}`).body;
  return new Interpreter(probe).evaluate(node, probe).constructor as ValueClass<T>;
}

export const StringValue = classOf<string>("");
export const BooleanValue = classOf<boolean>(true);
export const NullValue = classOf<null>(null);
export const UndefinedValue = classOf<undefined>(undefined);
/** A `bigint` where a `number` would not be exact. */
export const IntegerValue = classOf<number | bigint>(1);
export const FloatValue = classOf<number>(0.5);
export const ArrayValue = classOf<readonly Value[]>([]);
/** Extends {@link ArrayValue}. */
export const TupleValue = classOfResult<readonly Value[]>("(1, 2)");
export const ObjectValue = classOf<ReadonlyMap<Key, Value>>({});
export const NamespaceValue = classOfResult<Map<string, Value>>("namespace()");
export const FunctionValue = classOf<TemplateFunction>(() => null);
/** Extends {@link ObjectValue}. */
export const KeywordArguments = keywordClass();

function keywordClass(): ValueClass<ReadonlyMap<string, Value>> {
  let seen: Value | undefined;
  const capture = new FunctionValue((args) => {
    seen = args[0];
    return new NullValue(null);
  });
  probe.setVariable("capture", capture);
  const [call] = parseTemplate("{{ capture(a=1) }}").body;
  new Interpreter(probe).evaluate(call, probe);
  if (seen === undefined) throw new Error("@huggingface/jinja no longer passes keyword arguments as the last argument");
  return seen.constructor as ValueClass<ReadonlyMap<string, Value>>;
}

/**
 * A class of values that are those of a class of the package, and made many times faster: the package's own set `type`
 * once for each class that they extend, which Node does slowly. A rendering makes dozens of values per message.
 */
export function quickClass<T>(valueClass: ValueClass<T>, type: string): ValueClass<T> {
  class Quick {
    readonly type = type;
    readonly value: T;

    constructor(value: T) {
      this.value = value;
    }
  }
  Object.setPrototypeOf(Quick.prototype, valueClass.prototype);
  return Quick as unknown as ValueClass<T>;
}
