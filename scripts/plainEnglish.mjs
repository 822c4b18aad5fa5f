// Finds expressions that readers stumble over in text that users see: strings in src and web, documents, the README. Part of npm run lint.
import { readdirSync, readFileSync } from 'node:fs';

/** Each expression with what to write instead. */
const EXPRESSIONS = [
  [/\banew\b/i, 'again'],
  [/\btold of\b/i, 'notified of, shown'],
  [/\bnobody\b/i, 'no one, or name the actor'],
  [/\b(?:go|goes|went|going) on\b/i, 'continues'],
  [/\bso (?:many|long|often)\b/i, 'give the number or the condition'],
  [/\bof before\b/i, 'earlier, previous'],
  [/\bcomes? to (?:its|their|an) end\b/i, 'ends, finishes'],
  [/\bg[ia]ve[sn]? up trying\b/i, 'stops retrying'],
  [/\bis no (?!longer|more)[a-z]+/i, 'is not a ...'],
  [/\bthere is none\b/i, 'name what is missing'],
  [/\bis none\b/, 'name what is missing'],
  [/\bby itself alone\b/i, 'alone'],
  [/\bwhoever\b/i, 'name the actor'],
  [/\bunforeseen\b/i, 'unexpected'],
  [/\bagain and again\b/i, 'repeatedly'],
];

/** Text in quotes on a line that is no comment: what a caller, an operator or a visitor may read. */
const stringsOf = (line) => {
  if (/^\s*(?:\*|\/\/|\/\*)/.test(line)) return [];
  return [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|"((?:[^"\\]|\\.)*)"|>([^<>{}]*[a-z] [a-z][^<>{}]*)</g)]
    .map(([, ...groups]) => groups.find((group) => group !== undefined) ?? '')
    .filter((text) => text.includes(' '));
};

const below = (folder, endings) =>
  readdirSync(folder, { recursive: true })
    .map((file) => `${folder}/${file}`)
    .filter((file) => endings.test(file) && !/node_modules|generated|\/dist\/|\.venv/.test(file));

const code = [...below('src', /\.ts$/), ...below('web/src', /\.tsx?$/), ...below('clients', /\.(?:ts|py)$/)];
// Decision records keep the words of their time; the coverage table quotes the interface.
const EXEMPT = /docs\/decisions\/|docs\/interface-coverage/;
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', '.env.example'],
  ...['docs', 'web', 'clients'].flatMap((folder) => below(folder, /\.md$/)).filter((file) => !EXEMPT.test(file)),
];

const findings = [];
const look = (file, textsOf) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .forEach((line, index) => {
      for (const text of textsOf(line))
        for (const [expression, instead] of EXPRESSIONS) {
          const found = expression.exec(text)?.[0];
          if (found) findings.push(`${file}:${index + 1}: "${found.trim()}" (better: ${instead})`);
        }
    });
for (const file of code) look(file, stringsOf);
// A line that names a test quotes its title.
for (const file of documents) look(file, (line) => (/`test\//.test(line) ? [] : [line]));
for (const finding of findings) console.error(finding);
process.exitCode = findings.length > 0 ? 1 : 0;
