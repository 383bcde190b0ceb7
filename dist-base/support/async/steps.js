/** Runs all steps in the current iteration of the event loop. */
export function runAtOnce(steps) {
    for (;;) {
        const step = steps.next();
        if (step.done)
            return step.value;
    }
}
//# sourceMappingURL=steps.js.map