import { Command } from "commander";
/** Creates the command line. It throws instead of ending the process. */
export declare function createProgram(): Command;
