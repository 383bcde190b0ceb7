import { type Insert, insertAll } from "./inserts.js";
import { type Mutation, mutationsAt } from "./operators.js";
import { MUTANT } from "./run-protocol.js";
import { type Node, parse, walk } from "./syntax.js";

/** A fault that can be switched on in a file. */
export interface Mutant extends Mutation {
  readonly id: number;
  readonly file: string;
  readonly line: number;
}

/** Syntax of types: the test runner strips it, so a fault in it changes nothing. */
const TYPED_VALUES: ReadonlySet<string> = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

/** Finds every mutant of a source file, numbered from `firstId`. */
export function findMutants(source: string, file: string, firstId: number): Mutant[] {
  const mutants: Mutant[] = [];
  const text = ({ start, end }: Node): string => source.slice(start, end);
  walk(parse(source, file), (path) => {
    const type = path.at(-1)?.type ?? "";
    if (type.startsWith("TS") && !TYPED_VALUES.has(type)) return false;
    for (const mutation of mutationsAt(path, text)) {
      const line = source.slice(0, mutation.node.start).split("\n").length;
      mutants.push({ ...mutation, id: firstId + mutants.length, file, line });
    }
    return true;
  });
  return mutants;
}

/** Name of the function that returns true if a mutant is switched on. */
export const SWITCH = "mutantIsOn";

// In processes that a test starts there is no set-up file, only the environment.
const HEADER = `const ${SWITCH} = globalThis.rolltapeMutant ?? ((id) => process.env.${MUTANT} === String(id));`;

/** Returns the source with switches for these mutants of it. */
export function insertSwitches(source: string, mutants: readonly Mutant[]): string {
  // A script's first line says what runs it, and must stay the first.
  const begin = source.startsWith("#!") ? source.indexOf("\n") + 1 : 0;
  const header: Insert = { at: begin, code: `${HEADER} `, opens: true, width: Number.POSITIVE_INFINITY };
  return insertAll(source, [header, ...mutants.flatMap(switchOf)]);
}

function switchOf({ id, node, replacement }: Mutant): [Insert, Insert] {
  const width = node.end - node.start + id / 1e9;
  if (node.type === "BlockStatement") {
    return [
      { at: node.start + 1, code: `if (!${SWITCH}(${id})) {`, opens: true, width },
      { at: node.end - 1, code: "}", opens: false, width },
    ];
  }
  return [
    // With one pair of parentheses, TypeScript may read `(undefined) : ({ … })` as the head of an arrow function.
    { at: node.start, code: `(${SWITCH}(${id}) ? ((${replacement})) : (`, opens: true, width },
    { at: node.end, code: "))", opens: false, width },
  ];
}
