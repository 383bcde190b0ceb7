export { type BatchRow, readRows } from "../../view/tokens/batch-rows.js";
