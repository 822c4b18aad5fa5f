// npm run interface-coverage: writes docs/interface-coverage.md from test/interfaceCoverage.json, and fails if a row of the public interface names no
// existing test.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, tool } from './tool.mjs';

const PAGE = 'docs/interface-coverage.md';

/** Tests of a table apply to each of its rows. */
const testsOf = (table, row) => [...(table.tests ?? []), ...(row.tests ?? [])];

const titles = new Map();

/** The test's title in the source, after `test(`, `it(` or a table of cases. */
const exists = (test) => {
  const [file, title] = test.split(' > ');
  if (!titles.has(file)) titles.set(file, readSource(file));
  const escaped = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`\\(\\s*(['"\`])${escaped}\\1,`).test(titles.get(file));
};

const readSource = (file) => {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return '';
  }
};

/** Faults of the map, a sentence each. */
const faults = ({ tables }) =>
  tables.flatMap((table) =>
    table.rows.flatMap((row) => {
      const tests = testsOf(table, row);
      if (tests.length === 0) return [`${table.table}, ${row.row}: no test`];
      return tests.filter((test) => !exists(test)).map((test) => `${table.table}, ${row.row}: there is no test "${test}"`);
    }),
  );

const cell = (text) => text.replaceAll('|', '\\|').replace(/[<>]/g, (sign) => (sign === '<' ? '&lt;' : '&gt;'));
const shown = (test) => {
  const [file, title] = test.split(' > ');
  return `\`${file.replace(/^test\//, '')}\`: ${cell(title)}`;
};

/** Rows with the same tests share a line. */
const linesOf = (table) => {
  const rowsOf = new Map();
  for (const row of table.rows) {
    const tests = testsOf(table, row).map(shown).join('<br>');
    rowsOf.set(tests, [...(rowsOf.get(tests) ?? []), cell(row.row)]);
  }
  return [...rowsOf].map(([tests, rows]) => `| ${rows.join('<br>')} | ${tests} |`);
};

const pageOf = ({ tables }) => {
  const sections = tables.map((table) => [`## ${table.table}`, '', '| Rows | Tests |', '|---|---|', ...linesOf(table), ''].join('\n'));
  const head = [
    '# Interface coverage',
    '',
    'Each row of the public interface with its tests. `npm run interface-coverage` writes this page from `test/interfaceCoverage.json`. A test fails if a row names no existing test, or if',
    'this page is out of date. `test/e2e/interface.test.ts` looks for each field of a table in an answer of a server. Not listed: the base addresses, and what depends on a deployment (the address of the sender).',
    '',
  ];
  return `${[...head, ...sections].join('\n').trimEnd()}\n`;
};

const { check, map: file } = tool('interface-coverage')
  .description(`Writes ${PAGE}, and fails when a row of the public interface names no test, or one that is not there.`)
  .option('--check', 'writes nothing, and fails when the page is not what it would write')
  .option('--map <file>', 'which tests each row has', join(root, 'test/interfaceCoverage.json'))
  .addHelpText('after', '\n  npm run interface-coverage -- --check')
  .parse()
  .opts();
const map = JSON.parse(readFileSync(file, 'utf8'));
const wrong = faults(map);
if (!check) writeFileSync(join(root, PAGE), pageOf(map));
else if (readSource(PAGE) !== pageOf(map)) wrong.push(`${PAGE} is stale: npm run interface-coverage`);
for (const fault of wrong) console.error(fault);
console.log(`${map.tables.reduce((sum, table) => sum + table.rows.length, 0)} rows, ${wrong.length} faults`);
process.exitCode = wrong.length === 0 ? 0 : 1;
