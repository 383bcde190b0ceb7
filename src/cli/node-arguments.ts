/**
 * Arguments of Node for processes that this program starts; the first line of main.ts has the same. By default, V8 collects a heap with
 * four threads besides the main thread. On a machine with few cores, these take all of them, and calls wait for 40 to 60 ms. One thread
 * takes about the same processor time.
 */
export const NODE_ARGUMENTS: readonly string[] = ["--v8-pool-size=1"];
