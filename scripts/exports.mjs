// Names every value that a file of src or web exports and no other file mentions: what only its own file uses is not to be exported. Part of npm run lint.
import { readdirSync, readFileSync } from 'node:fs';

const files = ['src', 'web/src', 'test', 'bench'].flatMap((folder) =>
  readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`),
);
const texts = new Map(files.filter((file) => /\.tsx?$/.test(file)).map((file) => [file, readFileSync(file, 'utf8')]));
const isMentioned = (name, file) => [...texts].some(([other, text]) => other !== file && new RegExp(`\\b${name}\\b`).test(text));
const unused = [...texts]
  .filter(([file]) => /^(src|web)\//.test(file))
  .flatMap(([file, text]) => [...text.matchAll(/^export (?:async )?(?:const|function|class) (\w+)/gm)].map(([, name]) => ({ file, name })))
  .filter(({ file, name }) => !isMentioned(name, file));
for (const { file, name } of unused) console.error(`${file}: ${name} is exported, and used in no other file`);
process.exitCode = unused.length > 0 ? 1 : 0;
