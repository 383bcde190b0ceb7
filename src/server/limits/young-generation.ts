/** V8 counts three semi-spaces as the maximum of its young generation. */
export const SEMI_SPACES = 3;
/** Default maximum of a semi-space by the major version of V8, in MiB: of Node 20 and 22, and of Node 24. */
const EARLIER_MEBIBYTES = 16;
const V8_13_MEBIBYTES = 64;
const OPTION = /--max[-_]semi[-_]space[-_]size[= ](\d+)/g;

/** The part of V8's heap limit that is for the young generation. Old objects cannot use it. */
export interface YoungGeneration {
  readonly bytes: number;
  /** The user has set the size of a semi-space. */
  readonly isChosen: boolean;
}

export function readYoungGeneration(
  v8Version = process.versions.v8,
  options = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" "),
): YoungGeneration {
  const standard = Number.parseInt(v8Version, 10) >= 13 ? V8_13_MEBIBYTES : EARLIER_MEBIBYTES;
  const chosen = Number(Array.from(options.matchAll(OPTION)).at(-1)?.[1] ?? 0);
  const isChosen = chosen > 0;
  // V8 rounds it up to a power of two.
  const mebibytes = isChosen ? 2 ** Math.ceil(Math.log2(chosen)) : standard;
  return { bytes: SEMI_SPACES * mebibytes * 1024 ** 2, isChosen };
}
