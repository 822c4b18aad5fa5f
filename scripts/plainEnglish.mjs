// Finds expressions that readers stumble over: in strings and documents that users see, and the worst of them in comments and test titles too. Part of
// npm run lint.
import { readdirSync, readFileSync } from 'node:fs';

/** The worst expressions, each with what to write instead. */
const WORST = [
  [/\banew\b(?!`)/i, 'again'],
  [/\btold of\b/i, 'notified of, shown'],
  [/\bhears? of\b/i, 'receives, is notified of'],
  [/\bnobody\b/i, 'no one, or name the actor'],
  [/\bwhoever\b/i, 'name the actor'],
  [/\b(?:go|goes|went|going) on\b/i, 'continues'],
  [/\bso many\b/i, 'this many, or give the number'],
  [/\bof before\b/i, 'earlier, previous'],
  [/\bagain and again\b/i, 'repeatedly'],
  [/\blooked into by\b/i, 'checked by, read by'],
];

/** All expressions that strings and documents must not have. */
const EXPRESSIONS = [
  ...WORST,
  [/\bso (?:long|often)\b/i, 'give the number or the condition'],
  [/\bcomes? to (?:its|their|an) end\b/i, 'ends, finishes'],
  [/\bg[ia]ve[sn]? up trying\b/i, 'stops retrying'],
  [/\bis no (?!longer|more|parameter \$)[a-z]+/i, 'is not a ...'],
  [/\bthere is none\b/i, 'name what is missing'],
  [/\bis none\b/, 'name what is missing'],
  [/\bby itself alone\b/i, 'alone'],
  [/\bunforeseen\b/i, 'unexpected'],
];

const COMMENT = /^\s*(?:\*|\/\/|\/\*|\{\/\*)/;
/** A test's title, on the line of its call or alone on the next one. */
const TITLE = /(?:(?:\b(?:test|it|describe)(?:\.\w+)*|\))\(|^\s*)(['"`])((?:\\.|(?!\1).)+)\1,(?: async|$| \{)/;

/** Comments, and titles of tests. */
const proseOf = (line) => (COMMENT.test(line) ? [line] : [TITLE.exec(line)?.[2] ?? '']);

/** Text in quotes on a line that is not a comment: a caller, an operator or a visitor may read it. */
const stringsOf = (line) => {
  if (COMMENT.test(line)) return [];
  return [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)"|>([^<>{}]*[a-z] [a-z][^<>{}]*)</g)]
    .map(([, ...groups]) => groups.find((group) => group !== undefined) ?? '')
    .filter((text) => text.includes(' '));
};

const below = (folder, endings) =>
  readdirSync(folder, { recursive: true })
    .map((file) => `${folder}/${file}`)
    .filter((file) => endings.test(file) && !/node_modules|generated|\/dist\/|\.venv/.test(file));

const code = [...below('src', /\.ts$/), ...below('web/src', /\.tsx?$/), ...below('clients', /\.(?:ts|py)$/)];
const prose = ['src', 'web/src', 'clients', 'test', 'bench', 'scripts', 'starters'].flatMap((folder) => below(folder, /\.(?:tsx?|mjs)$/));
// It quotes the interface.
const EXEMPT = /docs\/interface-coverage/;
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', '.env.example'],
  ...['docs', 'web', 'clients'].flatMap((folder) => below(folder, /\.md$/)).filter((file) => !EXEMPT.test(file)),
];

const findings = [];
const look = (file, expressions, textsOf) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const text of textsOf(line))
        for (const [expression, instead] of expressions) {
          const found = expression.exec(text)?.[0];
          if (found) findings.push(`${file}:${index + 1}: "${found.trim()}" (better: ${instead})`);
        }
    });
for (const file of code) look(file, EXPRESSIONS, stringsOf);
for (const file of prose) look(file, WORST, proseOf);
// A line that names a test quotes its title.
for (const file of documents) look(file, EXPRESSIONS, (line) => (/`test\//.test(line) ? [] : [line]));
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
