import type { WorkerReadyLine } from "./worker-process.js";
type NamedReadyLine = WorkerReadyLine & {
    readonly name: string;
};
/**
 * Returns the fields of the ready line that describe the workers: those of a single server, which are the same for all, and the
 * workers themselves. Problems and warnings that several workers have are listed once.
 */
export declare function describeWorkers(lines: readonly NamedReadyLine[]): Record<string, unknown>;
export {};
