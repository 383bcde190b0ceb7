import { randomInt } from "node:crypto";

/** A seed for calls that name none. */
export function randomSeed(): number {
  return randomInt(2 ** 47);
}

/**
 * An integer in [0, 2^31) that depends on seed, step and lane alone and changes altogether when one of them does (the
 * finalizer of MurmurHash3, chained). Steps of neighbouring seeds therefore share nothing, as they would if the step
 * were added to the seed. 32 bits are avoided because llama.cpp takes 0xFFFFFFFF for "any seed".
 */
export function stepSeed(seed: number, step: number, lane = 0): number {
  let hash = 0x9747b28c;
  for (const word of [seed, Math.floor(seed / 2 ** 32), step, lane]) hash = mix(hash ^ mix(word | 0));
  return hash >>> 1;
}

/** A number in [0, 1) with 53 random bits, for one step. */
export function stepUniform(seed: number, step: number): number {
  const high = stepSeed(seed, step, 1) >>> 5;
  const low = stepSeed(seed, step, 2) >>> 4;
  return (high * 2 ** 27 + low) / 2 ** 53;
}

function mix(value: number): number {
  let hash = (value + 0x6d2b79f5) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
