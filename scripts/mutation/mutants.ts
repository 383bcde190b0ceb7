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
  const inserts = mutants.flatMap(switchOf);
  // At one place, what ends comes before what begins; of two that begin, the outer comes first; of two that end, last.
  inserts.sort((a, b) => a.at - b.at || Number(a.opens) - Number(b.opens) || (b.width - a.width) * (a.opens ? 1 : -1));
  // A script's first line says what runs it, and must stay the first.
  const begin = source.startsWith("#!") ? source.indexOf("\n") + 1 : 0;
  let text = "";
  let done = begin;
  for (const { at, code } of inserts) {
    text += source.slice(done, at) + code;
    done = at;
  }
  return `${source.slice(0, begin)}${HEADER} ${text}${source.slice(done)}`;
}

interface Insert {
  readonly at: number;
  readonly code: string;
  readonly opens: boolean;
  /** Length of the replaced source; mutants of the same node are nested in the order of their ids. */
  readonly width: number;
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
    { at: node.start, code: `(${SWITCH}(${id}) ? (${replacement}) : (`, opens: true, width },
    { at: node.end, code: "))", opens: false, width },
  ];
}
