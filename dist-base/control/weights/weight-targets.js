/** A step that failed on one server. */
export class StepError extends Error {
    failure;
    constructor(failure) {
        super(failure.message);
        this.failure = failure;
    }
}
/** Takes a step for each server at once, and returns the failures of those whose step failed. Other errors are thrown. */
export async function tryEach(urls, step) {
    const failures = new Map();
    await Promise.all(urls.map((url) => step(url).catch((error) => {
        if (!(error instanceof StepError))
            throw error;
        failures.set(url, error.failure);
    })));
    return failures;
}
//# sourceMappingURL=weight-targets.js.map