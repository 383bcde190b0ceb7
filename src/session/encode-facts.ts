import { FACT_COLUMNS, type RecordedCall } from "../facts/call-facts.js";
import { DEFAULT_SAMPLING } from "../facts/recorded-sampling.js";

// The facts of a call that fill the row columns of a batch. Native memory keeps them next to the tokens: numbers and flags as 32-bit
// words, recurring texts as labels, each in the order of their slots.

const bySlot = FACT_COLUMNS.toSorted((a, b) => a.slot - b.slot);
const NUMBERS = bySlot.filter(({ labels }) => !labels);
const TEXTS = bySlot.filter(({ labels }) => labels);

const MAX_INT32 = 2 ** 31 - 1;

/** Reused by every call, because a new array per call would be memory outside V8's heap. Native memory copies it. */
const words = new Uint32Array(NUMBERS.length);
/** Float32 view of {@link words}. */
const floats = new Float32Array(words.buffer);

/** Returns one word per fact, with the bits of the fact's dtype; BOOL is 0 or 1. The next call of this function overwrites them. */
export function encodeFacts(call: RecordedCall): Uint32Array {
  const { sampling = DEFAULT_SAMPLING } = call;
  for (const { dtype, slot, none, read } of NUMBERS) {
    const value = Number(read(call, sampling) ?? none);
    if (dtype === "F32") floats[slot] = value;
    else words[slot] = Math.min(value, MAX_INT32);
  }
  return words;
}

/** Maximum length of a label, in bytes of UTF-8. Longer texts are cut. */
const MAX_TEXT_BYTES = 256;

/** Returns the labels of one call, in the order of their slots; "" if it has none. */
export function encodeLabels(call: RecordedCall): string[] {
  const { sampling = DEFAULT_SAMPLING } = call;
  return TEXTS.map(({ read }) => {
    const value = read(call, sampling) ?? "";
    return firstBytes(typeof value === "object" ? value.join(", ") : String(value), MAX_TEXT_BYTES);
  });
}

/** Returns the longest prefix of whole characters that takes at most `bytes` bytes of UTF-8. */
export function firstBytes(text: string, bytes: number): string {
  // A UTF-16 unit takes at most three bytes in UTF-8, so short texts need no encoding.
  if (text.length * 3 <= bytes) return text.toWellFormed();
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read).toWellFormed();
}
