#!/usr/bin/env node
import { existsSync } from 'node:fs';

const compiled = new URL('../dist/cli/tributary.js', import.meta.url);
if (!existsSync(compiled)) (await import('../scripts/build.mjs')).build();
const { main } = await import(compiled.href);
await main(process.argv.slice(2));
