const BAR_MS = 250;
const LINE_MS = 5000;
const BAR_WIDTH = 40;
/**
 * Shows the progress of a job on standard error. On a terminal it is a bar; otherwise it is a line every five seconds and
 * one at the end.
 */
export class RolloutProgress {
    #total;
    #tally;
    #tokens;
    #screen;
    #timer;
    #stopRequested = false;
    /** True after the final numbers. A refresh that is still under way then shows nothing. */
    #closed = false;
    /** @param total number of episodes */
    constructor(total, tally, tokens, screen) {
        this.#total = total;
        this.#tally = tally;
        this.#tokens = tokens;
        this.#screen = screen;
        if (screen.isTerminal)
            this.#show();
        this.#timer = setInterval(() => void this.#refresh(), screen.isTerminal ? BAR_MS : LINE_MS);
    }
    /** Shows the final numbers and closes the display. Later calls have no effect. */
    async stop() {
        if (this.#stopRequested)
            return;
        this.#stopRequested = true;
        clearInterval(this.#timer);
        await this.#refresh();
        this.#closed = true;
        this.#screen.endStatus();
    }
    async #refresh() {
        // A proxy that is too busy to answer must not stop the job. The next refresh asks again.
        await this.#tokens.refresh().catch(() => { });
        if (!this.#closed)
            this.#show();
    }
    #show() {
        const done = this.#tally.accepted + this.#tally.rejected;
        const { rewardMean, rejected } = this.#tally;
        const mean = rewardMean === undefined ? "-" : rewardMean.toFixed(3);
        const speed = this.#tokens.perSecond.toFixed(0);
        const numbers = `${done}/${this.#total}  ${speed} tokens/s  reward mean ${mean}  rejected ${rejected}`;
        if (this.#screen.isTerminal)
            this.#screen.status = `episodes ${bar(done / this.#total)} ${numbers}`;
        else
            this.#screen.line(`episodes ${numbers}`);
    }
}
function bar(share) {
    const full = Math.min(BAR_WIDTH, Math.floor(share * BAR_WIDTH));
    return "█".repeat(full) + "░".repeat(BAR_WIDTH - full);
}
//# sourceMappingURL=progress.js.map