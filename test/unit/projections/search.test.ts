import { describe, expect, it } from 'vitest';
import type { StreamEvent } from '../../../src/domain/stream/events.ts';
import { type SearchDocument, searchProjection, withResults } from '../../../src/projections/search.ts';
import { link, STREAM, streamCreated, uploaded } from '../../fakes/streamStory.ts';
import { documentsAfter, recorded } from './given.ts';

const created = (name: string | null, labels: string[] | null, persist = true): StreamEvent =>
  // An erased member reads as null.
  streamCreated([link('echo', null)], { persist, name: name as string, labels: labels as string[] });
const ended: StreamEvent = { type: 'StreamCompleted', data: {} };
const renamed = (name: string | null): StreamEvent => ({ type: 'StreamRenamed', data: { name: name as string } });
const labeled = (labels: string[] | null): StreamEvent => ({ type: 'StreamLabeled', data: { labels: labels as string[] } });
const expired: StreamEvent = { type: 'StreamExpired', data: { reason: 'retention' } };

const told = (...events: StreamEvent[]) => recorded(...events.map((event) => [`stream-${STREAM}`, event] as const));
const documentOf = (...events: StreamEvent[]): SearchDocument | undefined =>
  // The projection wrote it.
  documentsAfter(searchProjection, told(...events)).get(STREAM)?.body as SearchDocument | undefined;

describe('the read model of the search', () => {
  it('has kept streams only, until they expire', () => {
    expect(documentOf(created('Call', null, false), uploaded, ended)).toBeUndefined();
    expect(documentOf(created('Call', null))?.passages).toEqual([{ kind: 'name', text: 'Call' }]);
    expect(documentOf(created('Call', null), uploaded, ended, expired)).toBeUndefined();
  });

  it('reads the results when the stream has ended, and keeps them when it is renamed or labeled', () => {
    const document = documentOf(created('Call', ['Sales']), uploaded, ended);
    expect(document?.passages).toBeNull();
    const read = withResults(document as SearchDocument, [{ kind: 'summary', text: 'They met.' }]);
    const [, , , ...later] = told(created('Call', null), uploaded, ended, renamed('Lunch'), labeled(['Food']));
    const stored = { id: STREAM, position: told(ended)[0]?.position ?? '', body: { ...read, passages: read.passages ?? [] } } as const;
    const after = documentsAfter(searchProjection, later, 500, [stored as never]).get(STREAM)?.body;
    expect(after).toMatchObject({
      name: 'Lunch',
      labels: ['Food'],
      labelKeys: ['food'],
      passages: [
        { kind: 'name', text: 'Lunch' },
        { kind: 'summary', text: 'They met.' },
      ],
    });
  });

  it('keeps of an erased stream what a rebuild makes of its erased events, and reads no results of it', () => {
    const redact = (document: SearchDocument | undefined) => document && searchProjection.personal?.redact(document);
    const erased = [created(null, null), uploaded, renamed(null), labeled(null), ended] as const;
    expect(redact(documentOf(created('Ada', ['Ada']), uploaded, renamed('Ada'), labeled(['Ada']), ended))).toEqual(documentOf(...erased));
    expect(documentOf(...erased)?.passages).toEqual([]);
  });
});
