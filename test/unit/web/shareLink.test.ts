import { expect, test } from 'vitest';
import { reachableLink } from '../../../web/src/pages/streams/shareLink.ts';

test('a link names the origin of the page if the server knows only its own address', () => {
  const own = 'http://127.0.0.1:8080/s/token';
  expect(reachableLink(own, 'http://192.168.1.7:8080')).toBe('http://192.168.1.7:8080/s/token');
  expect(reachableLink(own, 'https://transcripts.example')).toBe('https://transcripts.example/s/token');
  expect(reachableLink(own, 'http://localhost:8080')).toBe(own);
  expect(reachableLink('https://public.example/s/token', 'http://192.168.1.7:8080')).toBe('https://public.example/s/token');
});
