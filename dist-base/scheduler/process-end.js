import { describeEnd } from "../support/processes/child-end.js";
/** @param file the program that was started */
export function toProcessEnd(end, file) {
    switch (end.how) {
        case "exit":
            return { code: end.code, text: `ended with ${describeEnd(end)}` };
        case "signal":
            return { code: 1, text: `was ended by ${describeEnd(end)}` };
        case "not_started":
            return { code: 1, text: `${file} did not start: ${describeEnd(end)}` };
    }
}
//# sourceMappingURL=process-end.js.map