import { type ChildEnd, describeEnd } from "../support/processes/child-end.js";

/** How a process of a job ended, on any machine: its exit status, and a description for people. */
export interface ProcessEnd {
  readonly code: number;
  readonly text: string;
}

/** @param file the program that was started */
export function toProcessEnd(end: ChildEnd, file: string): ProcessEnd {
  switch (end.how) {
    case "exit":
      return { code: end.code, text: `ended with ${describeEnd(end)}` };
    case "signal":
      return { code: 1, text: `was ended by ${describeEnd(end)}` };
    case "not_started":
      return { code: 1, text: `${file} did not start: ${describeEnd(end)}` };
  }
}
