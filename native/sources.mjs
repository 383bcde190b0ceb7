// Prints the addon's sources for binding.gyp: every .cc file of these folders, which CMakeLists.txt globs too.
// Paths are relative to the package's folder, where node-gyp runs this.
import { readdirSync } from "node:fs";
import { join } from "node:path";

for (const room of ["binding", "core", "memory"]) {
  const files = readdirSync(join("native", room), { recursive: true }).filter((file) => file.endsWith(".cc"));
  for (const file of files.sort()) console.log(`native/${room}/${file.replaceAll("\\", "/")}`);
}
