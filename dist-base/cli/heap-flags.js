import { setFlagsFromString } from "node:v8";
/**
 * V8 learns from a program's first objects which ones live long, and then allocates objects of the same code among the old ones. A
 * server keeps much of what its first requests bring, so V8 learns that of objects which every request needs for a moment. Such an
 * object stays until the whole heap is collected, and all that it refers to stays with it: 6 KB of each model call, and three times as
 * many collections of the whole heap.
 */
setFlagsFromString("--no-allocation-site-pretenuring");
//# sourceMappingURL=heap-flags.js.map