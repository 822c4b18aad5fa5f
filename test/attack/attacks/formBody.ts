import { expect } from 'vitest';
import { type Attack, repeat } from '../attack.ts';

const TOKEN_PATH = '/realms/tributary/protocol/openid-connect/token';
/** 64 KB of different names, each of which used to be searched among all. */
const FORM = Array.from({ length: 16_380 }, (_, index) => index.toString(36).padStart(3, '0')).join('&');

const post = async (url: string, body: string, signal: AbortSignal): Promise<number> => {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await fetch(url + TOKEN_PATH, { method: 'POST', headers, body, signal });
  await answer.arrayBuffer();
  return answer.status;
};

/** Forms of very many fields at the token endpoint, which needs no credential. */
export const formBody: Attack = {
  name: 'form-body',
  by: 'nobody',
  run: ({ url, signal, count }) =>
    repeat(signal, 4, async (lane) => count(await post(url, lane % 2 === 0 ? FORM : FORM.slice(0, 8_000), signal))),
  check: ({ outcomes }) => {
    expect([...outcomes.keys()].sort()).toEqual(['400', '413']);
  },
};
