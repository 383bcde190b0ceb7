import { type ChildEnd } from "../support/processes/child-end.js";
/** How a process of a job ended, on any machine: its exit status, and a description for people. */
export interface ProcessEnd {
    readonly code: number;
    readonly text: string;
}
/** @param file the program that was started */
export declare function toProcessEnd(end: ChildEnd, file: string): ProcessEnd;
