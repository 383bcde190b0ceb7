export { readRows } from "../../view/tokens/batch-rows.js";
//# sourceMappingURL=rows.js.map