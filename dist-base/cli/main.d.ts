#!/usr/bin/env node
import "./heap-flags.js";
