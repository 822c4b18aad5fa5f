import { clockText } from '../../clock.ts';
import type { Speaker, Utterance } from '../../domain/transcript/content.ts';
import { textOf } from '../../domain/transcript/content.ts';
import { shownSpeaker, speakerIdsOf } from '../../domain/transcript/speakers.ts';
import { type Html, html } from '../docs/html.ts';

/** Addresses of the icon, the style and the script of shared pages. */
export interface SharedAssets {
  readonly icon: string;
  readonly style: string;
  readonly script: string;
}

export interface SharedTranscript {
  readonly name: string;
  /** ISO 8601. */
  readonly createdTimestamp: string;
  readonly utterances: readonly Utterance[];
  readonly speakers: readonly Speaker[];
  /** Of a stream without a transcription: its texts. */
  readonly text: string | null;
  /** Whether the recording can be played. */
  readonly media: boolean;
  readonly downloads: readonly { readonly path: string; readonly label: string }[];
}

const frame = ({ icon, style, script }: SharedAssets, title: string, body: Html): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow"><meta name="referrer" content="no-referrer"><title>${title}</title>
<link rel="icon" href="${icon}" type="image/svg+xml"><link rel="stylesheet" href="${style}"><script type="module" src="${script}"></script></head>
<body>${body}<footer>Shared with Tributary</footer></body></html>`.html;

/** The same for an unknown, an expired and a revoked link. */
export const goneOf = (assets: SharedAssets): string =>
  frame(
    assets,
    'Not found',
    html`<main class="gone"><h1>There is nothing here</h1><p>The link is wrong, or it has ended. Ask the person who sent it for a new one.</p></main>`,
  );

/** "29 November 2026". */
const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** A transcript for people without an account. It reads without scripts; `token` is that of the link. */
export const pageOf = (assets: SharedAssets, token: string, transcript: SharedTranscript): string => {
  const { name, createdTimestamp, utterances, text, media, downloads } = transcript;
  const day = DAY.format(new Date(createdTimestamp));
  return frame(
    assets,
    name,
    html`<main><header><h1>${name}</h1><p class="quiet"><time datetime="${createdTimestamp}">${day}</time></p></header>
${media ? html`<div class="player"><audio controls preload="metadata" src="/s/${token}/media" aria-label="The recording"></audio></div>` : null}
${utterances.length > 0 ? html`<div class="transcript" id="transcript">${spoken(transcript)}</div>` : html`<p class="text" dir="auto">${text ?? 'This recording has no transcript.'}</p>`}
${downloads.length > 0 ? html`<nav class="downloads" aria-label="Downloads"><h2>Downloads</h2>${downloads.map(({ path, label }) => html`<a href="/s/${token}/${path}" download>${label}</a> `)}</nav>` : null}</main>`,
  );
};

const COLOURS = 6;

const spoken = ({ utterances, speakers }: SharedTranscript): Html[] => {
  const named = new Map(speakers.map(({ id, name }, n) => [id, { shown: shownSpeaker(id, name), colour: n % COLOURS }]));
  return utterances.map(({ message }, n) => {
    const [id] = speakerIdsOf(message);
    const before = utterances[n - 1];
    const isSame = before !== undefined && id !== undefined && speakerIdsOf(before.message)[0] === id;
    const speaker = id === undefined ? undefined : named.get(id);
    const { start } = message;
    return html`<div class="utterance${isSame ? ' same' : ''}"${start === null ? null : html` data-start="${String(start)}" id="t${String(Math.floor(start / 1000))}-${String(n)}"`}>
${speaker ? html`<strong class="speaker s${String(speaker.colour)}">${speaker.shown}</strong>` : null}${start === null ? null : html`<a class="time" href="#t=${String(Math.floor(start / 1000))}">${clockText(start)}</a>`}
<p dir="auto">${textOf(message)}</p></div>`;
  });
};
