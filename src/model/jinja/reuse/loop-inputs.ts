import { assignedNames } from "../assigned-names.js";
import type {
  AttributeNode,
  Expression,
  ForNode,
  ItemNode,
  MacroNode,
  NameNode,
  Node,
  Program,
  Target,
} from "../ast.js";
import { childNodes } from "../child-nodes.js";

/**
 * Everything that an iteration of a loop depends on besides its item and its index. It cannot change variables outside the loop, but it
 * can change attributes of a namespace there.
 */
export interface LoopInputs {
  /** Variables outside the loop that an iteration may read, directly or in a macro. */
  readonly names: readonly string[];
  /**
   * Variables of which an iteration reads only the first element, its own item and the items next to it, as in
   * `messages[loop.index0 - 1]`. This holds only if the variable is the list of the loop, which `LoopRun.begin` checks.
   */
  readonly lists: readonly string[];
  /** An iteration reads the element before its item. In the first iteration, this is the last element, as in Python. */
  readonly readsPrevious: boolean;
  /** An iteration reads the item after its own, or whether there is one. */
  readonly readsNext: boolean;
  /** An iteration may change an attribute of a namespace. */
  readonly changesNamespace: boolean;
}

/** Attributes of `loop` that depend on no later item, and those that depend on the next one. Others make the inputs unknown. */
const OF_EARLIER_ITEMS: ReadonlySet<string> = new Set([
  "index",
  "index0",
  "first",
  "previtem",
  "cycle",
  "depth",
  "depth0",
]);
const OF_NEXT_ITEM: ReadonlySet<string> = new Set(["last", "nextitem"]);

/**
 * Finds what the iterations of an outermost loop depend on.
 *
 * @returns undefined if an iteration may depend on more, such as the number of items, earlier iterations (`loop.changed`), or whether two
 * values are the same object
 */
export function findLoopInputs(loop: ForNode, program: Program): LoopInputs | undefined {
  if (findNodes(loop, (node) => assignedNames(node).includes("loop")).length > 0) return undefined;
  const reads = new Reads();
  for (const node of loop.body) reads.visit(node, "outermost");
  // An iteration may call any macro. A macro that is defined outside the loop does not see the loop's variable `loop`.
  for (const macro of findNodes(program, isMacro)) reads.visit(macro, "none");
  return reads.inputs();
}

const isMacro = (node: Node): node is MacroNode => node.type === "Macro";

function findNodes(root: Node, isFound: (node: Node) => boolean): Node[] {
  const inside = childNodes(root).flatMap((child) => findNodes(child, isFound));
  return isFound(root) ? [root, ...inside] : inside;
}

/** Equal inputs need not be the same object. The name can also be an argument, as in `select("sameas", x)`. */
function comparesIdentity(node: Node): boolean {
  if (node.type === "TestExpression") return node.name === "sameas";
  return node.type === "StringLiteral" && node.value === "sameas";
}

/** The variable `loop` that a node sees: that of the outermost loop, that of a loop inside it, or none. */
type SeenLoop = "outermost" | "inner" | "none";

class Reads {
  readonly #names = new Set<string>();
  readonly #lists = new Set<string>();
  #readsPrevious = false;
  #readsNext = false;
  #changesNamespace = false;
  #isUnknown = false;

  visit(node: Node, loop: SeenLoop): void {
    if (node.type === "Set" && hasAttribute(node.target)) this.#changesNamespace = true;
    if (comparesIdentity(node)) this.#isUnknown = true;
    if (node.type === "Name") return this.#readName(node, loop);
    if (node.type === "Attribute" && loop === "outermost" && isLoop(node.object)) return this.#readLoop(node);
    if (node.type === "Item" && loop === "outermost" && this.#readElement(node)) return;
    const body = new Set<Node>(node.type === "For" ? node.body : []);
    for (const child of childNodes(node)) this.visit(child, body.has(child) ? "inner" : loop);
  }

  inputs(): LoopInputs | undefined {
    if (this.#isUnknown) return undefined;
    return {
      names: [...this.#names],
      lists: [...this.#lists],
      readsPrevious: this.#readsPrevious,
      readsNext: this.#readsNext,
      changesNamespace: this.#changesNamespace,
    };
  }

  #readName(node: NameNode, loop: SeenLoop): void {
    if (!isLoop(node) || loop === "none") this.#names.add(node.name);
    else if (loop === "outermost") this.#isUnknown = true;
  }

  #readLoop({ name }: AttributeNode): void {
    if (OF_NEXT_ITEM.has(name)) this.#readsNext = true;
    else if (!OF_EARLIER_ITEMS.has(name)) this.#isUnknown = true;
  }

  /** Records a read of the first element, the loop's item or an item next to it. Returns false for any other element. */
  #readElement({ object, key }: ItemNode): boolean {
    if (object.type !== "Name" || key.type === "Slice") return false;
    const isFirst = key.type === "IntegerLiteral" && key.value === 0;
    const offset = isFirst ? 0 : offsetFromItem(key);
    if (offset === undefined || Math.abs(offset) > 1) return false;
    this.#lists.add(object.name);
    if (offset < 0) this.#readsPrevious = true;
    if (offset > 0) this.#readsNext = true;
    return true;
  }
}

const isLoop = (node: Expression): boolean => node.type === "Name" && node.name === "loop";

function hasAttribute(target: Target): boolean {
  return target.type === "TupleTarget" ? target.items.some(hasAttribute) : target.type === "AttributeTarget";
}

/** Returns how far an index is from the index of the item: -1 for `loop.index0 - 1`; undefined if this is not known. */
function offsetFromItem(index: Expression): number | undefined {
  if (index.type === "Attribute" && isLoop(index.object)) {
    if (index.name === "index0") return 0;
    return index.name === "index" ? 1 : undefined;
  }
  if (index.type !== "BinaryExpression" || index.right.type !== "IntegerLiteral") return undefined;
  const from = offsetFromItem(index.left);
  const distance = Number(index.right.value);
  if (from === undefined) return undefined;
  if (index.operator === "+") return from + distance;
  return index.operator === "-" ? from - distance : undefined;
}
