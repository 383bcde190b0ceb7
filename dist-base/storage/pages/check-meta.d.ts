import { type PageFile } from "./page-file.js";
/**
 * Returns why the meta pages are damaged; undefined if they show no damage. A meta page has no checksum. Its
 * counters are compared with the pages by `FileCheck`.
 */
export declare function findMetaDamage({ meta, damagedMeta, transactions, byteLength, pageSize, }: PageFile): string | undefined;
