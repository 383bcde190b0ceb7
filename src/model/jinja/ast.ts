/**
 * The nodes that `parse` of `@huggingface/jinja` 0.5.11 returns for a template. They are declared here because Node's
 * module resolution does not find the package's own types.
 */

export interface Program {
  readonly type: "Program";
  readonly body: readonly Statement[];
}

/** A part of a body. An expression in a body is printed; text outside of tags is a `StringLiteral`. */
export type Statement =
  | Expression
  | Comment
  | { readonly type: "Break" }
  | { readonly type: "Continue" }
  | IfNode
  | ForNode
  | SetNode
  | MacroNode
  | CallNode
  | FilterBlockNode;

export interface Comment {
  readonly type: "Comment";
}

export interface IfNode {
  readonly type: "If";
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly alternate: readonly Statement[];
}

export interface ForNode {
  readonly type: "For";
  readonly loopvar: Expression;
  /** A `SelectExpression` for `{% for x in items if condition %}`. */
  readonly iterable: Expression;
  readonly body: readonly Statement[];
  readonly defaultBlock: readonly Statement[];
}

export interface SetNode {
  readonly type: "Set";
  readonly assignee: Expression;
  /** Null for `{% set x %}…{% endset %}`, whose text is in `body`. */
  readonly value: Expression | null;
  readonly body: readonly Statement[];
}

export interface MacroNode {
  readonly type: "Macro";
  readonly name: Identifier;
  readonly args: readonly ParameterNode[];
  readonly body: readonly Statement[];
}

/** `{% call(a, b) macro(…) %}…{% endcall %}`. */
export interface CallNode {
  readonly type: "CallStatement";
  readonly call: CallExpression;
  readonly callerArgs: readonly ParameterNode[] | null;
  readonly body: readonly Statement[];
}

export interface FilterBlockNode {
  readonly type: "FilterStatement";
  readonly filter: FilterNode;
  readonly body: readonly Statement[];
}

export type Expression =
  | Identifier
  | { readonly type: "StringLiteral"; readonly value: string }
  | { readonly type: "IntegerLiteral" | "FloatLiteral"; readonly value: number }
  | { readonly type: "ArrayLiteral"; readonly value: readonly Expression[] }
  | TupleNode
  | { readonly type: "ObjectLiteral"; readonly value: ReadonlyMap<Expression, Expression> }
  | BinaryNode
  | UnaryNode
  | { readonly type: "FilterExpression"; readonly operand: Expression; readonly filter: FilterNode }
  | TestNode
  | { readonly type: "SelectExpression"; readonly lhs: Expression; readonly test: Expression }
  | TernaryNode
  | MemberNode
  | CallExpression;

export interface Identifier {
  readonly type: "Identifier";
  readonly value: string;
}

export interface TupleNode {
  readonly type: "TupleLiteral";
  readonly value: readonly Expression[];
}

export interface BinaryNode {
  readonly type: "BinaryExpression";
  readonly operator: { readonly value: string };
  readonly left: Expression;
  readonly right: Expression;
}

export interface UnaryNode {
  readonly type: "UnaryExpression";
  readonly operator: { readonly value: string };
  readonly argument: Expression;
}

/** The name of a filter, or a call of it with arguments. */
export type FilterNode = Identifier | CallExpression;

export interface TestNode {
  readonly type: "TestExpression";
  readonly operand: Expression;
  readonly negate: boolean;
  readonly test: Identifier;
}

export interface TernaryNode {
  readonly type: "Ternary";
  readonly condition: Expression;
  readonly trueExpr: Expression;
  readonly falseExpr: Expression;
}

/** `object[property]` if `computed`, else `object.property`, where the property is an identifier or an integer. */
export interface MemberNode {
  readonly type: "MemberExpression";
  readonly object: Expression;
  readonly property: Expression | SliceNode;
  readonly computed: boolean;
}

export interface SliceNode {
  readonly type: "SliceExpression";
  readonly start?: Expression | undefined;
  readonly stop?: Expression | undefined;
  readonly step?: Expression | undefined;
}

export interface CallExpression {
  readonly type: "CallExpression";
  readonly callee: Expression;
  readonly args: readonly ArgumentNode[];
}

export type ArgumentNode =
  | Expression
  | KeywordNode
  /** `*items`. */
  | { readonly type: "SpreadExpression"; readonly argument: Expression }
  /** `**mapping`. */
  | { readonly type: "KeywordSpreadExpression"; readonly argument: Expression };

export interface KeywordNode {
  readonly type: "KeywordArgumentExpression";
  readonly key: Identifier;
  readonly value: Expression;
}

/** A parameter of a macro; a `KeywordNode` if it has a default. */
export type ParameterNode = Identifier | KeywordNode;

export type Node = Program | Statement | SliceNode | ArgumentNode;
