/** Bytes that are copied in one step. The copy touches new memory, so it takes up to a millisecond. */
const STEP_BYTES = 1 << 20;
/** Returns all pieces as one buffer, like `Buffer.concat`, which would stall the event loop for a hundred megabytes. */
export function* concatInSteps(pieces) {
    const [only] = pieces;
    if (only && pieces.length === 1)
        return only;
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    // `Buffer.alloc` would fill all of it with zeros at once.
    const whole = Buffer.allocUnsafe(size);
    let at = 0;
    let inStep = 0;
    for (const piece of pieces) {
        for (let from = 0; from < piece.length;) {
            if (inStep >= STEP_BYTES) {
                yield;
                inStep = 0;
            }
            const to = Math.min(piece.length, from + STEP_BYTES - inStep);
            at += piece.copy(whole, at, from, to);
            inStep += to - from;
            from = to;
        }
    }
    return whole;
}
//# sourceMappingURL=concat-in-steps.js.map