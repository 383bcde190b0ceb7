// Writes docs/reference/configuration.md from the schema of the configuration. Run `npm run build` first.
import { writeFileSync } from "node:fs";
import { writeReferencePage } from "../dist/config/reference-page.js";

writeFileSync(new URL("../docs/reference/configuration.md", import.meta.url), writeReferencePage());
