/** V8 counts three semi-spaces as the maximum of its young generation. */
const SEMI_SPACES = 3;
/** Default maximum of a semi-space by the major version of V8, in MiB: of Node 20 and 22, and of Node 24. */
const EARLIER_MEBIBYTES = 16;
const V8_13_MEBIBYTES = 64;
const OPTION = /--max[-_]semi[-_]space[-_]size[= ](\d+)/g;

/** Returns the part of V8's heap limit that is for the young generation, in bytes. Old objects cannot use it. */
export function youngGenerationBytes(
  v8Version = process.versions.v8,
  options = [process.env["NODE_OPTIONS"] ?? "", ...process.execArgv].join(" "),
): number {
  const standard = Number.parseInt(v8Version, 10) >= 13 ? V8_13_MEBIBYTES : EARLIER_MEBIBYTES;
  const chosen = Number(Array.from(options.matchAll(OPTION)).at(-1)?.[1] ?? 0);
  // V8 rounds it up to a power of two.
  const mebibytes = chosen > 0 ? 2 ** Math.ceil(Math.log2(chosen)) : standard;
  return SEMI_SPACES * mebibytes * 1024 ** 2;
}
