import { describe, expect, test } from 'vitest';
import { exportCsv } from '../../../../src/http/export/formats/csv.ts';
import { exportDocx } from '../../../../src/http/export/formats/docx.ts';
import { exportMarkdown } from '../../../../src/http/export/formats/markdown.ts';
import { shifted } from '../../../../src/http/export/shift.ts';
import { unzipped } from '../../../unzipped.ts';
import { results, STREAM, spokenResults, timed } from './spoken.ts';

const speaker = (id: string) => ({ metadata: { speakerIds: [id], overlap: false } });
const TALK = spokenResults(
  timed('Good morning.', { ...speaker('A') }),
  timed(' How are you?', { start: 1_000, ...speaker('A') }),
  timed(' *Fine* <thanks>.', { start: 61_500, ...speaker('B') }),
);

describe('CSV', () => {
  test('has a header and a row for each utterance', () => {
    expect(exportCsv([TALK])).toBe(
      [
        'start,end,speaker,text,confidence',
        '0,845,Speaker A,Good morning.,0.9',
        '1000,1845,Speaker A,How are you?,0.9',
        '61500,62605,Speaker B,*Fine* <thanks>.,0.9',
        '',
      ].join('\r\n'),
    );
  });

  test('quotes commas and quotes, and leaves unknown values empty', () => {
    const utterance = timed('She said "yes, please"', { words: [], start: null, end: null });
    expect(exportCsv([spokenResults(utterance)]).split('\r\n')[1]).toBe(',,,"She said ""yes, please""",');
  });

  test.each(['=1+1', '+49 30', '-5', '@SUM(A1)'])('marks a text that a spreadsheet would run: %s', (text) => {
    expect(exportCsv([spokenResults(timed(` ${text}`, { words: [] }))]).split('\r\n')[1]).toContain(`,'${text},`);
  });

  test('marks the name of a speaker that a spreadsheet would run', () => {
    const named = [TALK].map(({ transcript, ...rest }) => ({
      ...rest,
      transcript: transcript && { ...transcript, utterances: transcript.utterances.map((one) => ({ ...one, spokenBy: '=HYPERLINK(1)' })) },
    }));
    expect(exportCsv(named).split('\r\n')[1]).toBe("0,845,'=HYPERLINK(1),Good morning.,0.9");
  });

  test('of silence is the header', () => {
    expect(exportCsv([spokenResults()])).toBe('start,end,speaker,text,confidence\r\n');
  });
});

describe('a document', () => {
  test('as Markdown has a title, the date, and paragraphs with bold speakers and times, and escapes markup', () => {
    expect(exportMarkdown([{ ...TALK, stream: { ...STREAM, name: 'Call #1' } }])).toBe(
      [
        '# Call \\#1',
        '2026-11-29',
        '**Speaker A** [00:00:00] Good morning. How are you?',
        '**Speaker B** [00:01:01] \\*Fine\\* \\<thanks\\>.\n',
      ].join('\n\n'),
    );
    expect(exportMarkdown([spokenResults(timed('1. March', { words: [], start: null, end: null }))])).toContain('\n\n1\\. March\n');
  });

  test('as DOCX has the same, with speakers in bold', async () => {
    const xml =
      unzipped(await exportDocx([TALK]))
        .get('word/document.xml')
        ?.toString() ?? '';
    const paragraphs = [...xml.matchAll(/<w:p>.*?<\/w:p>/gs)].map(([paragraph]) =>
      [...paragraph.matchAll(/<w:t[^>]*>([^<]*)</g)].map(([, text]) => text),
    );
    expect(paragraphs).toEqual([
      ['Call'],
      ['2026-11-29'],
      ['Speaker A ', '00:00:00 ', 'Good morning. How are you?'],
      ['Speaker B ', '00:01:01 ', '*Fine* &lt;thanks&gt;.'],
    ]);
    expect(xml).toMatch(/<w:r><w:rPr><w:b\/>.*?<w:t[^>]*>Speaker A /);
  });

  test('as DOCX names the platform as its author, and its title is without the ending of the file that the stream is named after', async () => {
    const core =
      unzipped(await exportDocx([{ ...TALK, stream: { ...TALK.stream, name: 'Talk 1.5.mp3', fileName: 'Talk 1.5.mp3' } }]))
        .get('docProps/core.xml')
        ?.toString() ?? '';
    expect(core).toContain('<dc:title>Talk 1.5</dc:title><dc:creator>Tributary</dc:creator>');
    expect(core).toContain('<cp:lastModifiedBy>Tributary</cp:lastModifiedBy>');
  });

  test('as DOCX has no character that XML forbids', async () => {
    const xml =
      unzipped(await exportDocx([spokenResults(timed('a\u0007b\uD800c'))]))
        .get('word/document.xml')
        ?.toString() ?? '';
    expect(xml).toContain('a b c');
  });

  test('of a stream without a transcription has its summary', () => {
    expect(exportMarkdown([results({ summaries: ['First.\n\nSecond.'] })])).toBe('# Call\n\n2026-11-29\n\nFirst.\n\nSecond.\n');
  });

  test.each(['.', '।', '؟', '.»'])('has a new paragraph after some hundred characters of one speaker and a sentence with %s', (mark) => {
    const sentences = Array.from({ length: 40 }, (_, n) =>
      timed(` This is sentence number ${n}${mark}`, { start: n * 2_000, ...speaker('A') }),
    );
    const paragraphs = exportMarkdown([spokenResults(...sentences)])
      .trim()
      .split('\n\n')
      .slice(2);
    expect(paragraphs.length).toBe(2);
    expect(paragraphs[1]).toMatch(/^\[00:00:\d\d\] This is/);
  });
});

test('shifted recordings follow one another by their lengths: as stated or measured, or to their last word', () => {
  const spoken = (more: Partial<typeof TALK>) => ({ ...spokenResults(timed('one', { start: 1_000, end: 2_000 })), ...more });
  const three = shifted([
    spoken({ metadata: new Map([['transcriber', { engine: 'x', recordingLength: 10_000 }]]) }),
    spoken({ stream: { ...STREAM, audioLength: 5_000 } }),
    spoken({}),
    spoken({}),
  ]);
  expect(three.map(({ transcript }) => transcript?.utterances[0]?.start)).toEqual([1_000, 11_000, 16_000, 18_000]);
  expect(three.map(({ transcript }) => transcript?.transcription.words[0]?.start)).toEqual([1_000, 11_000, 16_000, 18_000]);
});
