/** A piece of code that is put into a source. A mutant is switched on by two of them, around the replaced source. */
export interface Insert {
  readonly at: number;
  readonly code: string;
  readonly opens: boolean;
  /** Length of the replaced source; mutants of the same node are nested in the order of their ids. */
  readonly width: number;
}

/** Returns the source with the inserts, nested as the replaced pieces are. */
export function insertAll(source: string, inserts: readonly Insert[]): string {
  // At one place, what ends comes before what begins; of two that begin, the outer comes first; of two that end, last.
  const ordered = inserts.toSorted(
    (a, b) => a.at - b.at || Number(a.opens) - Number(b.opens) || (b.width - a.width) * (a.opens ? 1 : -1),
  );
  let text = "";
  let done = 0;
  for (const { at, code } of ordered) {
    text += source.slice(done, at) + code;
    done = at;
  }
  return text + source.slice(done);
}
