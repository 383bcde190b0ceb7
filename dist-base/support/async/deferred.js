export function createDeferred() {
    let resolve = () => undefined;
    let reject = () => undefined;
    const promise = new Promise((...functions) => ([resolve, reject] = functions));
    return { promise, resolve, reject };
}
//# sourceMappingURL=deferred.js.map