import { describe, expect, it } from 'vitest';
import { checkFilter, passes } from '../../../src/domain/webhookEndpoints/filter.ts';

const EVENT = {
  type: 'stream.completed',
  payload: { stream: { name: 'call-7', labels: ['sales', 'north'], stateDescription: null, attempt: 2 }, size: 1 },
};

describe('a filter', () => {
  it.each([
    ['nothing', {}],
    ['a value', { 'payload.stream.name': 'call-7' }],
    ['a number', { 'payload.size': 1 }],
    ['one of a list of values', { type: ['stream.failed', 'stream.completed'] }],
    ['a prefix', { 'payload.stream.name': { prefix: 'call-' } }],
    ['an item of a list in the event', { 'payload.stream.labels': 'sales' }],
    ['a prefix of an item', { 'payload.stream.labels': { prefix: 'nor' } }],
    ['null for null', { 'payload.stream.stateDescription': null }],
    ['null for an absent member', { 'payload.gone.deeper': null }],
    ['null among values', { 'payload.stream.stateDescription': ['x', null] }],
    ['several paths', { 'payload.size': 1, 'payload.stream.attempt': 2 }],
  ])('fits by %s', (_, filter) => expect(passes(filter, EVENT)).toBe(true));

  it.each([
    ['another value', { 'payload.stream.name': 'call-8' }],
    ['text for a number', { 'payload.size': '1' }],
    ['no value of the list', { type: ['stream.failed'] }],
    ['another prefix', { 'payload.stream.name': { prefix: 'mail-' } }],
    ['a prefix of what is no text', { 'payload.size': { prefix: '1' } }],
    ['no item of a list', { 'payload.stream.labels': 'south' }],
    ['an absent member', { 'payload.stream.other': 'x' }],
    ['a member of text', { 'payload.stream.name.length': 6 }],
    ['an inherited member', { 'payload.toString': 'x' }],
    ['one path of two', { 'payload.size': 1, type: 'stream.failed' }],
  ])('does not fit by %s', (_, filter) => expect(passes(filter, EVENT)).toBe(false));

  it.each([
    ['an empty path', { '': 1 }],
    ['a path with an empty name', { 'payload..name': 1 }],
    ['an empty list', { type: [] }],
    ['a list in a list', { type: [['a']] }],
    ['an unknown operator', { type: { suffix: 'a' } }],
    ['a second member beside the prefix', { type: { prefix: 'a', suffix: 'b' } }],
    ['a prefix that is no text', { type: { prefix: 1 } }],
  ])('is refused for %s', (_, filter) => expect(() => checkFilter(filter)).toThrow(/filter of|not a path/));
});
