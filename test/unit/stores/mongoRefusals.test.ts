import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/stores/mongodb/refusals.ts';
import type { Outcome } from '../../../src/stores/serverRefusal.ts';

const certificate = { sentence: 'the certificate', ofAll: false };
const settings = { sentence: 'the settings', ofAll: true };

const judged = (members: Record<string, Outcome>, primary: string | null = null) => judge(new Map(Object.entries(members)), primary);

describe('a start on a set of MongoDB servers', () => {
  it('continues while one member can be used', () => {
    expect(judged({ a: certificate, b: 'fine' })).toBeNull();
    expect(judged({ a: settings, b: 'fine', c: 'away' })).toBeNull();
  });

  it('continues while the certificate of one member is bad and another is away', () => {
    expect(judged({ a: certificate, b: 'away' })).toBeNull();
    expect(judged({ a: 'away', b: 'away' })).toBeNull();
  });

  it('ends when every member has a bad certificate, or the settings fit none that answers', () => {
    expect(judged({ a: certificate, b: certificate })).toBe('the certificate');
    expect(judged({ a: settings, b: 'away' })).toBe('the settings');
  });

  it('ends when the primary refuses, whatever its secondaries do', () => {
    expect(judged({ a: certificate, b: 'fine', c: 'away' }, 'a')).toBe('the certificate');
    expect(judged({ a: 'fine', b: certificate }, 'a')).toBeNull();
  });
});
