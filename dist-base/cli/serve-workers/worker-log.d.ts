import type { DestinationStream } from "pino";
/**
 * Returns a destination for the standard error of a worker, whole lines at a time. Log lines get the worker's name as the field
 * `worker`; other text, such as a stack, gets it as a prefix.
 */
export declare function nameLines(name: string, output: DestinationStream): DestinationStream;
