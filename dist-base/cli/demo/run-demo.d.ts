/**
 * Runs the main job from end to end, using the library as a program would: start a proxy with the tiny model, run an agent on
 * each subject, export one discounted batch to `file`. Returns the text that describes the batch.
 */
export declare function runDemo(file: string, showProgress: (line: string) => void): Promise<string>;
