// npm run redaction-figures: precision and recall of redaction on the test sets in bench/redaction.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root, tool } from './tool.mjs';

const GUIDE = join(root, 'docs/guides/redaction.md');
const FIGURES = /(?<=<!-- figures -->\n).*(?=\n<!-- end of figures -->)/s;

const program = tool('redaction-figures')
  .description('Prints precision and recall of redaction on the test sets in bench/redaction.')
  .option('--write', 'into docs/guides/redaction.md')
  .parse();

const { redactionTable } = await import('../bench/redaction/measure.ts');
const table = redactionTable(pathToFileURL(join(root, 'bench/redaction/')));
console.log(table);
if (program.opts().write) writeFileSync(GUIDE, readFileSync(GUIDE, 'utf8').replace(FIGURES, table));
