/** The nodes of a parsed template. */

export interface Program {
  readonly type: "Program";
  readonly body: readonly Statement[];
}

/** A part of a body. An expression in a body is printed; text outside of tags is a `StringLiteral`. */
export type Statement =
  | Expression
  | { readonly type: "Break" }
  | { readonly type: "Continue" }
  | IfNode
  | ForNode
  | SetNode
  | WithNode
  | MacroNode
  | CallNode
  | FilterBlockNode
  | GenerationNode;

export interface IfNode {
  readonly type: "If";
  readonly test: Expression;
  readonly body: readonly Statement[];
  readonly alternate: readonly Statement[];
}

export interface ForNode {
  readonly type: "For";
  readonly target: Target;
  readonly iterable: Expression;
  /** `{% for x in items if condition %}`. */
  readonly condition: Expression | undefined;
  readonly body: readonly Statement[];
  readonly otherwise: readonly Statement[];
}

export interface SetNode {
  readonly type: "Set";
  readonly target: Target;
  /** Undefined for `{% set x | filter %}…{% endset %}`, whose text is in `body`. */
  readonly value: Expression | undefined;
  readonly filters: readonly FilterNode[];
  readonly body: readonly Statement[];
}

/** `{% with a = 1, b = 2 %}…{% endwith %}`. */
export interface WithNode {
  readonly type: "With";
  readonly variables: readonly { readonly target: Target; readonly value: Expression }[];
  readonly body: readonly Statement[];
}

export interface MacroNode {
  readonly type: "Macro";
  readonly name: string;
  readonly parameters: readonly ParameterNode[];
  readonly body: readonly Statement[];
}

/** `{% call(a, b) macro(…) %}…{% endcall %}`. */
export interface CallNode {
  readonly type: "CallStatement";
  readonly call: CallExpression;
  readonly parameters: readonly ParameterNode[];
  readonly body: readonly Statement[];
}

export interface FilterBlockNode {
  readonly type: "FilterStatement";
  readonly filters: readonly FilterNode[];
  readonly body: readonly Statement[];
}

/** The tag `{% generation %}` of `transformers`, which prints its body. */
export interface GenerationNode {
  readonly type: "Generation";
  readonly body: readonly Statement[];
}

/** The target of an assignment by `{% set %}`, `{% for %}` or `{% with %}`. */
export type Target = NameNode | AttributeTarget | { readonly type: "TupleTarget"; readonly items: readonly Target[] };

/** An attribute of a namespace: `{% set ns.name = … %}`. */
export interface AttributeTarget {
  readonly type: "AttributeTarget";
  readonly namespace: NameNode;
  readonly attribute: string;
}

export type Expression =
  | NameNode
  | { readonly type: "StringLiteral"; readonly value: string }
  | { readonly type: "IntegerLiteral"; readonly value: number | bigint }
  | { readonly type: "FloatLiteral"; readonly value: number }
  | { readonly type: "ListLiteral" | "TupleLiteral"; readonly items: readonly Expression[] }
  | { readonly type: "DictLiteral"; readonly entries: readonly (readonly [Expression, Expression])[] }
  | BinaryNode
  | ComparisonNode
  | UnaryNode
  | { readonly type: "FilterExpression"; readonly operand: Expression; readonly filter: FilterNode }
  | TestNode
  | ConditionNode
  | AttributeNode
  | ItemNode
  | CallExpression;

/** A variable, or a constant such as `true`. */
export interface NameNode {
  readonly type: "Name";
  readonly name: string;
}

/** An operator with two operands, but no comparison. */
export interface BinaryNode {
  readonly type: "BinaryExpression";
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

/** `first < second <= third`, which is `first < second and second <= third` with `second` evaluated once. */
export interface ComparisonNode {
  readonly type: "Comparison";
  readonly first: Expression;
  readonly rest: readonly { readonly operator: string; readonly operand: Expression }[];
}

export interface UnaryNode {
  readonly type: "UnaryExpression";
  readonly operator: "not" | "-" | "+";
  readonly operand: Expression;
}

export interface FilterNode {
  readonly name: string;
  readonly args: readonly ArgumentNode[];
}

/** `operand is name(args)`, also written without parentheses: `operand is name argument`. */
export interface TestNode {
  readonly type: "TestExpression";
  readonly operand: Expression;
  readonly name: string;
  readonly args: readonly ArgumentNode[];
}

/** `whenTrue if condition else whenFalse`. */
export interface ConditionNode {
  readonly type: "Condition";
  readonly condition: Expression;
  readonly whenTrue: Expression;
  readonly whenFalse: Expression | undefined;
}

/** `object.name`. */
export interface AttributeNode {
  readonly type: "Attribute";
  readonly object: Expression;
  readonly name: string;
}

/** `object[key]` or `object.0`. */
export interface ItemNode {
  readonly type: "Item";
  readonly object: Expression;
  readonly key: Expression | SliceNode;
}

export interface SliceNode {
  readonly type: "Slice";
  readonly start: Expression | undefined;
  readonly stop: Expression | undefined;
  readonly step: Expression | undefined;
}

export interface CallExpression {
  readonly type: "CallExpression";
  readonly callee: Expression;
  readonly args: readonly ArgumentNode[];
}

/** An argument of a call, a filter or a test. */
export type ArgumentNode =
  | Expression
  | KeywordNode
  /** `*items`. */
  | { readonly type: "Spread"; readonly value: Expression }
  /** `**mapping`. */
  | { readonly type: "KeywordSpread"; readonly value: Expression };

export interface KeywordNode {
  readonly type: "Keyword";
  readonly name: string;
  readonly value: Expression;
}

/** A parameter of a macro. */
export interface ParameterNode {
  readonly name: string;
  readonly byDefault: Expression | undefined;
}

export type Node = Program | Statement | SliceNode | ArgumentNode;
