import { randomInt } from "node:crypto";
/** Returns a seed for a call without one. */
export function randomSeed() {
    return randomInt(2 ** 47);
}
/**
 * Returns an integer in [0, 2^31) that depends only on seed, step and lane: the chained finalizer of MurmurHash3.
 *
 * If the step were added to the seed instead, neighbouring seeds would share most of their steps. The result has 31 bits
 * because llama.cpp reads 0xFFFFFFFF as "any seed".
 */
export function stepSeed(seed, step, lane = 0) {
    let hash = 0x9747b28c;
    for (const word of [seed, Math.floor(seed / 2 ** 32), step, lane])
        hash = mix(hash ^ mix(word | 0));
    return hash >>> 1;
}
/** Returns a number in [0, 1) with 53 random bits for one step. */
export function stepUniform(seed, step) {
    const high = stepSeed(seed, step, 1) >>> 5;
    const low = stepSeed(seed, step, 2) >>> 4;
    return (high * 2 ** 27 + low) / 2 ** 53;
}
function mix(value) {
    let hash = (value + 0x6d2b79f5) | 0;
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return hash ^ (hash >>> 16);
}
//# sourceMappingURL=randomness.js.map