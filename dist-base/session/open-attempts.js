const NONE = [];
/** Running and recorded attempts without a retry, by request. Almost every request has one, which is kept without a set around it. */
export class OpenAttempts {
    #byRequest = new Map();
    of(request) {
        const open = this.#byRequest.get(request);
        if (!open)
            return NONE;
        return open instanceof Set ? open : [open];
    }
    add(attempt) {
        const { request } = attempt;
        const open = this.#byRequest.get(request);
        if (open instanceof Set)
            open.add(attempt);
        else
            this.#byRequest.set(request, open && open !== attempt ? new Set([open, attempt]) : attempt);
    }
    delete(attempt) {
        const { request } = attempt;
        const open = this.#byRequest.get(request);
        if (open instanceof Set) {
            open.delete(attempt);
            if (open.size === 0)
                this.#byRequest.delete(request);
        }
        else if (open === attempt)
            this.#byRequest.delete(request);
    }
    clear() {
        this.#byRequest.clear();
    }
}
//# sourceMappingURL=open-attempts.js.map