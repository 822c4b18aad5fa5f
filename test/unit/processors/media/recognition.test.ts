import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { inspectMedia } from '../../../../src/processors/media/inspectMedia.ts';
import { evidentlyNoRecording } from '../../../../src/processors/media/namedData.ts';
import { decoded, inspected, made, never, newFile, refusalOf, TONE, toneIn } from './generated.ts';

const fileOf = (data: string | Buffer): string => {
  const path = newFile('data');
  writeFileSync(path, data);
  return path;
};

describe('what ffmpeg reads safely', () => {
  test.each([
    ['mxf', ['-f', 'lavfi', '-i', 'testsrc=s=720x576:r=25:d=0.5', '-c:v', 'mpeg2video', '-ar', '48000', '-c:a', 'pcm_s16le']],
    ['m4a', ['-c:a', 'aac']],
    ['opus', []],
    ['flac', []],
    ['nut', ['-c:a', 'pcm_s16le']],
    ['latm', ['-c:a', 'aac']],
    ['gsm', ['-ar', '8000', '-c:a', 'gsm']],
    ['sox', []],
  ])('is decoded: %s', async (ending, options) => {
    expect((await decoded(made(`tone.${ending}`, ...TONE, ...options))).processed).toBeGreaterThan(400);
  });
});

describe('what cannot be decoded is named', () => {
  test('as a format that is not supported', async () => {
    const dts = made('tone.dts', ...TONE, '-ac', '2', '-ar', '48000', '-c:a', 'dca', '-strict', '-2');
    const realMedia = made('tone.rm', ...TONE, '-c:a', 'real_144', '-ar', '8000');
    expect(await refusalOf(fileOf(readFileSync(dts)))).toBe(
      'This format is not supported: DTS. Convert the recording to WAV, FLAC or MP3.',
    );
    expect(await refusalOf(realMedia)).toContain('not supported: RealMedia.');
  });

  test('as damaged if its beginning is that of a supported format', async () => {
    const damaged = Buffer.concat([readFileSync(made('tone.flac', ...TONE)).subarray(0, 20), Buffer.alloc(4_000, 0x55)]);
    expect(await refusalOf(fileOf(damaged))).toMatch(/^The file is damaged: it begins like flac/);
  });

  test('as a file without its index, or without sound', async () => {
    const mp4 = readFileSync(made('tone.mp4', '-f', 'lavfi', '-i', 'anoisesrc=d=3', '-c:a', 'aac'));
    expect(await refusalOf(fileOf(mp4.subarray(0, mp4.byteLength / 2)))).toMatch(/^The file is incomplete: its index/);
    expect(await refusalOf(made('picture.mp4', '-f', 'lavfi', '-i', 'testsrc=s=64x64:d=1'))).toBe('The file has video but no sound.');
  });

  test('as unknown otherwise, or by the header of a WAV file without ffprobe', async () => {
    expect(await refusalOf(fileOf('no audio at all'))).toBe('The data could not be decoded as audio.');
    const wav = toneIn([9_000]);
    expect(await inspectMedia(wav, 'no-such-command', never)).toMatchObject({ facts: { sampleRate: 16_000, milliseconds: 500 } });
    expect(await inspectMedia(fileOf('fLaC'), 'no-such-command', never)).toMatchObject({ failure: { failureCause: 'SERVER_INCOMPLETE' } });
  });

  test('as evidently no recording, for every decoder', async () => {
    const page = fileOf('\n<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>');
    expect(await inspected(page)).toMatchObject({ evident: true, failure: { message: expect.stringContaining('a web page (HTML)') } });
  });
});

test.each([
  ['<html lang="de">', 'a web page (HTML)'],
  ['\ufeff<!doctype html>', 'a web page (HTML)'],
  ['<?xml version="1.0"?><rss>', 'XML'],
  ['{"url": "https://example.com/a.mp3"}', 'JSON, not a recording. To have a recording fetched, send its link alone as the body.'],
  ['[{"a": 1}]', 'JSON'],
  ['"https://example.com/a.mp3"', 'a link in quotes'],
  ["'http://example.com/a.mp3'\n", 'a link in quotes'],
  ['<https://example.com/a.mp3>', 'a link in quotes or brackets'],
  ['https://example.com/a.mp3 please', 'a link with other text'],
  ['ftp://example.com/a.mp3', 'a link that cannot be fetched. Send an http or https link.'],
  ['s3://bucket/a.mp3', 'a link that cannot be fetched'],
  ['file:///etc/passwd', 'a link that cannot be fetched'],
  ['#EXTM3U\n#EXTINF:1,\nfile:///etc/hostname', 'a playlist'],
  ["ffconcat version 1.0\nfile '/etc/hostname'", 'a playlist'],
  ['WEBVTT\n', 'captions'],
  ['1\n00:00:01,000 --> 00:00:02,000\nHello.', 'captions'],
  ['%PDF-1.7', 'a PDF'],
  ['PK\u0003\u0004', 'an archive'],
])('names %j as what it is', (text, name) => {
  expect(evidentlyNoRecording(Buffer.from(text))).toContain(`This is ${name}`);
});

test('names images and compressed files, and nothing that may be sound', () => {
  expect(evidentlyNoRecording(Buffer.from([0x89, 0x50, 0x4e, 0x47]))).toContain('an image');
  expect(evidentlyNoRecording(Buffer.from([0x1f, 0x8b, 8, 0]))).toContain('a compressed file');
  expect(evidentlyNoRecording(Buffer.from('\ufeffhello', 'utf16le'))).toBeNull();
  expect(evidentlyNoRecording(Buffer.from([0xff, 0xf1, 0x50, 0x80]))).toBeNull();
  expect(evidentlyNoRecording(readFileSync(toneIn([9_000])))).toBeNull();
});
