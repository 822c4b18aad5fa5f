#!/usr/bin/env node
import { existsSync } from 'node:fs';

// In a checkout, what has changed is compiled first.
if (existsSync(new URL('../src', import.meta.url))) (await import('../scripts/build.mjs')).build();
const { main } = await import('../dist/cli/tributary.js');
await main(process.argv.slice(2));
