import { setFlagsFromString } from "node:v8";
/**
 * V8 learns from the first objects of each line of code whether they live long, and then allocates later ones among the old objects. The
 * first requests of a server bring much that stays. So V8 learns it of objects that every request needs for a moment. Such an object
 * stays until the whole heap is collected, and all that it refers to stays with it: 6 KB of a small model call.
 */
setFlagsFromString("--no-allocation-site-pretenuring");
//# sourceMappingURL=heap-flags.js.map