import { CHANGE_UNIT } from "./record.js";

/**
 * Where a change is, as one number, so that the place of a record takes 8 bytes of memory: slot of its segment (15 bits), where it begins
 * in units of {@link CHANGE_UNIT} (28), and its size in these units, rounded up (10). Zero is no place, because no segment begins with a
 * change.
 */
export type LogPosition = number;

export const MAX_SLOTS = 2 ** 15;
const AT_RANGE = 2 ** 28;
const SIZE_RANGE = 2 ** 10;
/** A change must begin before it. */
export const MAX_AT_BYTES = AT_RANGE * CHANGE_UNIT;
const MANTISSA = 32;

/** @param bytes size of the change */
export function packPlace(slot: number, at: number, bytes: number): LogPosition {
  return (slot * AT_RANGE + at / CHANGE_UNIT) * SIZE_RANGE + packSize(bytes / CHANGE_UNIT);
}

export function slotOf(place: LogPosition): number {
  return Math.floor(place / (AT_RANGE * SIZE_RANGE));
}

/** Returns where the change begins in its file. */
export function atOf(place: LogPosition): number {
  return (Math.floor(place / SIZE_RANGE) % AT_RANGE) * CHANGE_UNIT;
}

/** Returns the size of the change in bytes, rounded up by at most 4%. */
export function sizeOf(place: LogPosition): number {
  return unpackSize(place % SIZE_RANGE) * CHANGE_UNIT;
}

/** Packs a size into an exponent and five bits of its mantissa. */
function packSize(units: number): number {
  if (units < MANTISSA) return units;
  const exponent = Math.floor(Math.log2(units)) - Math.log2(MANTISSA);
  return (exponent + 1) * MANTISSA + Math.ceil(units / 2 ** exponent) - MANTISSA;
}

function unpackSize(packed: number): number {
  if (packed < MANTISSA) return packed;
  const exponent = Math.floor(packed / MANTISSA) - 1;
  return (MANTISSA + (packed % MANTISSA)) * 2 ** exponent;
}
