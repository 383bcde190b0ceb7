import { makeInert } from "../../support/inert-text.js";
import { countNoun } from "../count-noun.js";
/** Maximum number of problems that are listed. */
const MAX_LISTED = 100;
/** Lists what is damaged, up to a maximum number of lines. */
export class ProblemList {
    #write;
    #limit;
    #count = 0;
    /** @param all true: lists every problem */
    constructor(write, { all = false } = {}) {
        this.#write = write;
        this.#limit = all ? Number.POSITIVE_INFINITY : MAX_LISTED;
    }
    /** Number of problems. */
    get count() {
        return this.#count;
    }
    add(problem) {
        this.#count++;
        if (this.#count <= this.#limit)
            this.#write(describeProblem(problem));
    }
    /** Writes how many problems were not listed. */
    end(hint = "") {
        const more = this.#count - this.#limit;
        if (more > 0)
            this.#write(`  and ${countNoun(more, "more problem")}${hint}\n`);
    }
}
/** Returns a line of the list of what is damaged. */
function describeProblem({ what, reason, dependents = 0 }) {
    const verb = dependents === 1 ? "depends" : "depend";
    const others = dependents > 0 ? ` (and ${countNoun(dependents, "interaction")} that ${verb} on it)` : "";
    return `  ${makeInert(what)}: ${makeInert(reason)}${others}\n`;
}
//# sourceMappingURL=problems.js.map