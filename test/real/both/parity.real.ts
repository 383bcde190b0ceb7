import { testParity } from "../support/parity.js";
import { openRealEngine } from "../support/real-engine.js";
import { PROMPTS, SETTINGS } from "../support/settings.js";

const engine = openRealEngine();

testParity({
  engine: engine.name,
  open: async () => engine,
  settings: engine.quick ? SETTINGS.filter(({ quick }) => quick) : SETTINGS,
  prompts: engine.quick ? PROMPTS.slice(0, 1) : PROMPTS,
});
