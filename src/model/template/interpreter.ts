import { runFilter } from "./filters/index.js";
import { itemsIn } from "./iterate.js";
import {
  type BinaryNode,
  type CallNode,
  type ForNode,
  FunctionValue,
  type IfNode,
  Interpreter,
  type Key,
  KeywordArguments,
  type MacroNode,
  type MemberNode,
  type NamedNode,
  NamespaceValue,
  type Node,
  type ObjectNode,
  type Program,
  type Scope,
  type SelectNode,
  type SetNode,
  type SliceNode,
  type TestNode,
  type TypedValue,
  type UnaryNode,
  UndefinedValue,
  type Value,
} from "./jinja.js";
import { bindTarget, LoopControl, loopVariable } from "./loop.js";
import { type Bounds, getAttribute, getItem, getSlice, keyOf, sliceBound } from "./members.js";
import { binary, signed } from "./operators.js";
import { pyStr } from "./python-text.js";
import { InnerScope, IterationScope } from "./scope.js";
import { runTest } from "./tests.js";
import { bool, dict, func, Missing, missing, none, RenderError, str, truthy, typeName } from "./values.js";

// Statements that give a value to the interpreter but print nothing.
const SILENT = new Set(["Set", "Macro", "Comment"]);

/** Evaluates a parsed template with the values, operators, methods, filters and scopes of Python's Jinja2. */
export class PythonInterpreter extends Interpreter {
  override evaluate(node: Node | undefined, scope: Scope): Value {
    const type = node?.type;
    if (type === "StringLiteral") return str((node as NamedNode).value);
    if (type === "Break" || type === "Continue") throw new LoopControl(type);
    return type === "ObjectLiteral" ? this.#dict(node as ObjectNode, scope) : super.evaluate(node, scope);
  }

  override evaluateBlock(nodes: readonly Node[], scope: Scope): TypedValue<string> {
    let text = "";
    try {
      for (const node of nodes) {
        const value = this.evaluate(node, scope);
        if (!SILENT.has(node.type)) text += pyStr(value);
      }
    } catch (error) {
      // What an iteration printed before it was left stays printed.
      if (error instanceof LoopControl) error.printed = text + error.printed;
      throw error;
    }
    return str(text);
  }

  /** What a template prints, one after the other: what each iteration of its outermost loops does, and what is between. */
  parts({ body }: Program, scope: Scope): string[] {
    const parts: string[] = [];
    for (const node of body) {
      if (node.type === "For") this.#loop(node as ForNode, scope, (printed) => parts.push(printed));
      else parts.push(this.evaluateBlock([node], scope).value);
    }
    return parts;
  }

  override evaluateIdentifier(node: NamedNode, scope: Scope): Value {
    for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
      const value = at.variables.get(node.value);
      if (value !== undefined) return value;
      if (node.value === "loop" && at instanceof IterationScope) return at.loop;
    }
    return new Missing(`'${node.value}' is undefined`);
  }

  override evaluateBinaryExpression(node: BinaryNode, scope: Scope): Value {
    const operator = node.operator.value;
    const left = this.evaluate(node.left, scope);
    if (operator === "and") return truthy(left) ? this.evaluate(node.right, scope) : left;
    if (operator === "or") return truthy(left) ? left : this.evaluate(node.right, scope);
    return binary(operator, left, this.evaluate(node.right, scope));
  }

  override evaluateUnaryExpression(node: UnaryNode, scope: Scope): Value {
    const value = this.evaluate(node.argument, scope);
    return node.operator.value === "not" ? bool(!truthy(value)) : signed(node.operator.value, value);
  }

  override evaluateMemberExpression(node: MemberNode, scope: Scope): Value {
    const object = this.evaluate(node.object, scope);
    const { property } = node;
    if (property.type === "SliceExpression") return getSlice(object, this.#bounds(property as SliceNode, scope));
    if (node.computed) return getItem(object, this.evaluate(property, scope));
    // `list.0` is an item: the parser gives the integer that it is.
    if (property.type === "IntegerLiteral") return getItem(object, this.evaluate(property, scope));
    return getAttribute(object, (property as NamedNode).value);
  }

  override evaluateCallExpression(node: CallNode, scope: Scope): Value {
    const callee = this.evaluate(node.callee, scope);
    const [args, keywords] = this.evaluateArguments(node.args, scope);
    if (callee instanceof UndefinedValue) throw missing(callee);
    if (!(callee instanceof FunctionValue)) throw new RenderError(`'${typeName(callee)}' object is not callable`);
    return callee.value(keywords.size > 0 ? [...args, new KeywordArguments(keywords)] : args, scope);
  }

  override evaluateTestExpression(node: TestNode, scope: Scope): Value {
    return bool(runTest(node.test.value, this.evaluate(node.operand, scope)) !== node.negate);
  }

  override applyFilter(operand: Value, filter: NamedNode | CallNode, scope: Scope): Value {
    if ("value" in filter) return runFilter(filter.value, operand, []);
    const [args, keywords] = this.evaluateArguments(filter.args, scope);
    return runFilter((filter.callee as NamedNode).value, operand, args, keywords);
  }

  override evaluateIf(node: IfNode, scope: Scope): Value {
    return this.evaluateBlock(truthy(this.evaluate(node.test, scope)) ? node.body : node.alternate, scope);
  }

  override evaluateFor(node: ForNode, scope: Scope): Value {
    let text = "";
    this.#loop(node, scope, (printed) => {
      text += printed;
    });
    return str(text);
  }

  /** Every iteration has a scope of its own, so that what is set in one is not seen by the next. */
  #loop(node: ForNode, scope: Scope, print: (printed: string) => void): void {
    const items = this.#loopItems(node, scope);
    if (items.length === 0) return print(this.evaluateBlock(node.defaultBlock, new InnerScope(scope)).value);
    const previous = {};
    for (const [index, item] of items.entries()) {
      const inner = new IterationScope(scope, () => loopVariable(items, index, previous));
      bindTarget(node.loopvar, item, inner);
      const { printed, isLast } = this.#iteration(node.body, inner);
      print(printed);
      if (isLast) break;
    }
  }

  override evaluateSet(node: SetNode, scope: Scope): Value {
    const { assignee, value, body } = node;
    const assigned = value === null ? this.evaluateBlock(body, new InnerScope(scope)) : this.evaluate(value, scope);
    if (assignee.type === "MemberExpression") this.#setAttribute(assignee as MemberNode, assigned, scope);
    else bindTarget(assignee, assigned, scope);
    return none();
  }

  #setAttribute(target: MemberNode, value: Value, scope: Scope): void {
    const object = this.evaluate(target.object, scope);
    if (!(object instanceof NamespaceValue)) throw new RenderError("cannot assign attribute on non-namespace object");
    object.value.set((target.property as NamedNode).value, value);
  }

  /** Macros see the scope in which they are defined, and `caller` from where they are called. */
  override evaluateMacro(node: MacroNode, scope: Scope): Value {
    const result = super.evaluateMacro(node, scope);
    const macro = scope.variables.get(node.name.value);
    if (!(macro instanceof FunctionValue)) return result;
    const lexical = func((args, callScope) => {
      const inner = new InnerScope(scope);
      const caller = callScope.variables.get("caller");
      if (caller !== undefined) inner.setVariable("caller", caller);
      return macro.value(args, inner);
    });
    scope.setVariable(node.name.value, lexical);
    return result;
  }

  #iteration(body: readonly Node[], scope: Scope): { readonly printed: string; readonly isLast: boolean } {
    try {
      return { printed: this.evaluateBlock(body, scope).value, isLast: false };
    } catch (error) {
      if (!(error instanceof LoopControl)) throw error;
      return { printed: error.printed, isLast: error.kind === "Break" };
    }
  }

  /** `for x in items if condition`: the condition sees x. */
  #loopItems(node: ForNode, scope: Scope): readonly Value[] {
    if (node.iterable.type !== "SelectExpression") return itemsIn(this.evaluate(node.iterable, scope));
    const { lhs, test } = node.iterable as SelectNode;
    return itemsIn(this.evaluate(lhs, scope)).filter((item) => {
      const inner = new InnerScope(scope);
      bindTarget(node.loopvar, item, inner);
      return truthy(this.evaluate(test, inner));
    });
  }

  #bounds(node: SliceNode, scope: Scope): Bounds {
    const bound = (side: Node | undefined): number | undefined => sliceBound(this.evaluate(side, scope));
    return [bound(node.start), bound(node.stop), bound(node.step)];
  }

  #dict(node: ObjectNode, scope: Scope): Value {
    const entries = new Map<Key, Value>();
    for (const [key, value] of node.value) entries.set(keyOf(this.evaluate(key, scope)), this.evaluate(value, scope));
    return dict(entries);
  }
}
