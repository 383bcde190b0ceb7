/** Sends items together: all that come during a pause, or while a call is under way, share the next one. */
export class Batcher {
    #send;
    #limit;
    #pause;
    #waiting = [];
    #isSending = false;
    /**
     * @param send resolves with one result for each item
     * @param limit maximum number of items of one call
     * @param pause returns the milliseconds that the first item waits for others
     */
    constructor(send, limit, pause = () => 0) {
        this.#send = send;
        this.#limit = limit;
        this.#pause = pause;
    }
    add(item) {
        return new Promise((resolve, reject) => {
            this.#waiting.push({ item, resolve, reject });
            if (!this.#isSending)
                this.#sendSoon();
            this.#isSending = true;
        });
    }
    #sendSoon() {
        const pause = this.#pause();
        const send = () => void this.#sendAll();
        // Items of the same event turn always share a call.
        if (pause < 1)
            setImmediate(send);
        else
            setTimeout(send, pause);
    }
    async #sendAll() {
        while (this.#waiting.length > 0) {
            const items = this.#waiting.splice(0, this.#limit);
            try {
                const results = await this.#send(items.map(({ item }) => item));
                items.forEach(({ resolve }, i) => resolve(results[i]));
            }
            catch (error) {
                for (const { reject } of items)
                    reject(error);
            }
        }
        this.#isSending = false;
    }
}
//# sourceMappingURL=batcher.js.map