import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { JsonObject } from '../../json.ts';
import { collectionName, passageTexts, searched, wholeNumber } from '../documentQuery.ts';
import type { CollectionSpec, FullText, SearchOptions } from '../documents.ts';
import type { FullTextQuery, Phrase } from '../fullText/phrases.ts';
import { foldedWords } from '../fullText/words.ts';
import { conditions, type Query, tableOf, type Values } from './documentSql.ts';

/**
 * Full text in SQLite. The words of a document, folded, are a row of an FTS5 table without content; its passages lie compressed beside its body, because
 * they and the index together would take twice the text.
 */

const wordsTable = (collection: string): string => `"words:${collectionName(collection)}"`;

/** The number is that of the row with the words. SQLite may change a `rowid` without a name. */
export const createFullText = (collection: string): string[] => [
  `CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (number INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, position TEXT NOT NULL, body TEXT, newest TEXT, passages BLOB)`,
  `CREATE VIRTUAL TABLE IF NOT EXISTS ${wordsTable(collection)} USING fts5(words, owner, content='', contentless_delete=1, tokenize=ascii)`,
];

export const dropWords = (collection: string): string => `DROP TABLE IF EXISTS ${wordsTable(collection)}`;

/** The number of the document that was written; no row if a newer one is stored. */
export const writeWithPassages = (collection: string): string => {
  const table = tableOf(collection);
  return `INSERT INTO ${table} (id, position, body, newest, passages) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET position = excluded.position, body = excluded.body, newest = excluded.newest, passages = excluded.passages
    WHERE ${table}.position < excluded.position RETURNING number`;
};
export const removeWords = (collection: string): string => `DELETE FROM ${wordsTable(collection)} WHERE rowid = ?`;
export const addWords = (collection: string): string => `INSERT INTO ${wordsTable(collection)} (rowid, words, owner) VALUES (?, ?, ?)`;

/** Removes the words of deleted and replaced documents, which FTS5 keeps until it merges its segments. */
export const forgetWords = (collection: string): string => {
  const table = wordsTable(collection);
  return `INSERT INTO ${table} (${table}) VALUES ('optimize')`;
};

/** Between two texts, so that no phrase reaches from one to the next. FTS5's tokenizer takes it for a word, and `foldedWords` never gives it. */
const BOUNDARY = ' \u00b7 ';

/** As one word for FTS5. */
const ownerWord = (owner: string): string => createHash('sha256').update(owner).digest('hex').slice(0, 32);

/** A document as it is stored: the body without its passages, the passages, and the words of the index. */
export const storedParts = (
  body: JsonObject,
  fullText: FullText,
): { readonly body: string; readonly newest: string; readonly passages: Uint8Array; readonly words: string; readonly owner: string } => {
  const { [fullText.passages]: passages = [], ...others } = body;
  const words = passageTexts(body, fullText).map((text) => foldedWords(text).join(' '));
  return {
    body: JSON.stringify(others),
    newest: String(body[fullText.newestBy]),
    passages: deflateRawSync(JSON.stringify(passages), { level: 3 }),
    words: words.join(BOUNDARY),
    owner: ownerWord(String(body[fullText.owner])),
  };
};

/** The body with its passages. */
export const joinedBody = (body: JsonObject, passages: Uint8Array, { passages: member }: FullText): JsonObject => ({
  ...body,
  [member]: JSON.parse(inflateRawSync(passages).toString('utf8')),
});

const matchOf = ({ words, prefix }: Phrase): string => `"${words.join(' ')}"${prefix ? '*' : ''}`;

/** Only letters, digits and marks become part of the expression. */
const expressionOf = ({ all, none }: FullTextQuery, owner: string): string => {
  const wanted = all.map(matchOf).join(' AND ');
  const matching = none.length === 0 ? wanted : `(${wanted}) NOT (${none.map(matchOf).join(' OR ')})`;
  return `owner : "${ownerWord(owner)}" AND words : (${matching})`;
};

export const searchQuery = (spec: CollectionSpec, options: SearchOptions): Query => {
  const { owner, value } = searched(spec, options);
  const [table, words] = [tableOf(spec.name), wordsTable(spec.name)];
  const values: Values = [expressionOf(options.query, value)];
  // Rows without another condition are ranked without parsing their bodies.
  const { [owner]: _, ...others } = options.where;
  const matching = conditions(spec, others, values);
  values.push(wholeNumber('limit', options.limit));
  const sql = `SELECT id FROM ${words} JOIN ${table} ON number = ${words}.rowid WHERE ${words} MATCH ? AND ${matching}
    ORDER BY bm25(${words}, 1.0, 0.0), newest DESC, id DESC LIMIT ?`;
  return { sql, values };
};
