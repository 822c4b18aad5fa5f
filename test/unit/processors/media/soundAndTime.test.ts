import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decoded, factsOf, joined, made, newFile, PICTURE, TONE, toneIn } from './generated.ts';

/** A tone that begins 2 s after the picture. */
const late = (name: string, ...codecs: string[]) =>
  made(name, ...PICTURE, '-itsoffset', '2', ...TONE, '-map', '0:v', '-map', '1:a', ...codecs);

/** Two tones; the second one begins `seconds` after the first one, which lasts half a second. */
const withHole = (ending: string, seconds: number, ...codec: string[]) => {
  const tone = made(`tone.${ending}`, ...TONE, ...codec);
  const list = join(dirname(tone), 'list.txt');
  writeFileSync(list, `ffconcat version 1.0\nfile tone.${ending}\nduration ${seconds}\nfile tone.${ending}\n`);
  return made(`hole.${ending}`, '-f', 'concat', '-i', list, '-c', 'copy');
};

const about = (milliseconds: number) => expect.toSatisfy((time: number) => Math.abs(time - milliseconds) <= 80, `about ${milliseconds}`);

describe('decoded sound is at its presentation time', { timeout: 60_000 }, () => {
  test.each([
    ['mp4', ['-c:v', 'mpeg4', '-c:a', 'aac']],
    ['mkv', ['-c:v', 'mpeg4', '-c:a', 'libopus']],
    ['ts', ['-c:v', 'mpeg2video', '-r', '25', '-c:a', 'mp2', '-ar', '48000']],
    ['wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2', '-ar', '44100']],
  ])('if it begins after the picture in %s', async (ending, codecs) => {
    const { sounds, warnings } = await decoded(late(`late.${ending}`, ...codecs));
    expect(sounds).toEqual([[about(2_000)]]);
    expect(warnings).toEqual([]);
  });

  test('if the channels are kept apart', async () => {
    const file = late('late.mp4', '-c:v', 'mpeg4', '-c:a', 'aac', '-ac', '2');
    expect((await decoded(file, { channels: 2 })).sounds).toEqual([[about(2_000)], [about(2_000)]]);
  });

  test.each([
    ['webm', 9, 'libopus'],
    ['mp4', 9, 'aac'],
    // ffmpeg takes holes over 10 s out of this format if it is not told otherwise.
    ['ts', 25, 'aac'],
  ])('after a hole in %s of %d s', async (ending, seconds, codec) => {
    const { sounds, length, processed, warnings } = await decoded(withHole(ending, seconds, '-c:a', codec));
    expect(sounds).toEqual([[about(0), about(seconds * 1_000)]]);
    expect([length, processed]).toEqual([about(seconds * 1_000 + 500), expect.toSatisfy((time: number) => time < 1_300)]);
    expect(warnings).toEqual([]);
  });

  test('and follows the sound before it if times run backwards', async () => {
    const tone = made('tone.webm', ...TONE, '-c:a', 'libopus');
    const { processed, length } = await decoded(joined(tone, tone, tone));
    expect([processed, length]).toEqual([about(1_500), about(1_500)]);
  });

  test('and has no silence of its own if the sample rate or the number of channels changes', async () => {
    const first = made('first.aac', ...TONE, '-ar', '44100');
    const second = made('second.aac', ...TONE, '-ar', '22050', '-ac', '2');
    const { processed, length } = await decoded(joined(first, second));
    expect(length).toBe(processed);
    expect(length).toBeGreaterThan(1_000);
  });

  test('from the beginning of the file on, whatever its clock says', async () => {
    const file = made('clock.mkv', '-itsoffset', '20000', ...TONE, '-c:a', 'libopus');
    expect(await decoded(file)).toMatchObject({ sounds: [[about(0)]], warnings: [] });
  });
});

describe('MEDIA_MAX_SECONDS', () => {
  test('counts the silence of holes, so that a forged time cannot make hours', async () => {
    const forged = made('forged.mkv', ...PICTURE, '-itsoffset', '90000', ...TONE, '-map', '0:v', '-map', '1:a', '-c:v', 'mpeg4');
    await expect(decoded(forged)).rejects.toMatchObject({
      message: expect.stringContaining('MEDIA_MAX_SECONDS'),
      failureCause: 'TOO_LONG',
    });
  });

  test('counts decoded sound if the file does not say how long it is', async () => {
    const piped = made('piped.webm', '-f', 'lavfi', '-i', 'sine=d=3', '-c:a', 'libopus', '-f', 'webm', '-live', '1');
    expect(await factsOf(piped)).toMatchObject({ milliseconds: null });
    await expect(decoded(piped, { maxSeconds: 2 })).rejects.toMatchObject({ failureCause: 'TOO_LONG' });
    await expect(decoded(piped, { maxSeconds: 4 })).resolves.toMatchObject({ processed: about(3_000) });
  });
});

describe('the length of a recording', () => {
  const SILENCE_THEN_TONE = ['-f', 'lavfi', '-i', 'anullsrc=r=44100,atrim=0:4[a];sine=440:r=44100:d=2[b];[a][b]concat=v=0:a=1'];

  test.each([
    ['adts', ['-c:a', 'aac', '-b:a', '128k']],
    ['mp3', ['-c:a', 'libmp3lame', '-q:a', '2', '-write_xing', '0']],
    ['mpegts', ['-c:a', 'aac']],
  ])('is unknown in %s, where it could only be estimated, and nothing is missed', async (format, codec) => {
    const file = made('sound', ...SILENCE_THEN_TONE, ...codec, '-f', format);
    expect((await factsOf(file)).milliseconds).toBeNull();
    expect(await decoded(file)).toMatchObject({ warnings: [], length: expect.toSatisfy((time: number) => time >= 5_900) });
  });

  test.each([
    ['mp4', ['-c:v', 'mpeg4', '-c:a', 'aac']],
    ['mkv', ['-c:v', 'mpeg4', '-c:a', 'libopus']],
    ['avi', ['-c:v', 'mpeg4', '-c:a', 'libmp3lame']],
    ['wmv', ['-c:v', 'wmv2', '-c:a', 'wmav2', '-ar', '44100']],
  ])('is not that of a longer picture in %s', async (ending, codecs) => {
    const file = made(`long.${ending}`, ...PICTURE, ...TONE, '-map', '0:v', '-map', '1:a', ...codecs);
    expect((await decoded(file)).warnings).toEqual([]);
  });

  test('is what the file states otherwise', async () => {
    expect(await factsOf(made('tone.flac', ...TONE))).toMatchObject({ milliseconds: 500, sampleRate: 16_000, channels: 1 });
    expect(await factsOf(made('tone.mp3', ...TONE))).toMatchObject({ milliseconds: about(540) });
    expect(await factsOf(toneIn([10_000, 10_000]))).toMatchObject({ milliseconds: 500, channels: 2 });
  });

  test('is not that in the header of a WAV file with fewer bytes, and what is missing is said', async () => {
    const cut = newFile('cut.wav');
    writeFileSync(cut, readFileSync(made('whole.wav', '-f', 'lavfi', '-i', 'sine=d=3:r=16000')).subarray(0, 32_000));
    expect(await factsOf(cut)).toMatchObject({ milliseconds: about(1_000) });
    const message = expect.stringMatching(/^The file is incomplete: its last 64\d\d\d bytes are missing/);
    expect((await decoded(cut)).warnings).toEqual([{ code: 'FILE_INCOMPLETE', message }]);
    // A recorder that writes to a pipe.
    const streamed = readFileSync(cut);
    streamed.writeUInt32LE(0x7fff_f000, streamed.indexOf('data') + 4);
    writeFileSync(cut, streamed);
    expect(await decoded(cut)).toMatchObject({ length: about(1_000), warnings: [] });
  });

  test('is missed with a warning', async () => {
    const whole = made('whole.flac', '-f', 'lavfi', '-i', 'anoisesrc=d=6');
    const cut = newFile('cut.flac');
    writeFileSync(cut, readFileSync(whole).subarray(0, readFileSync(whole).byteLength / 2));
    expect((await decoded(cut)).warnings).toMatchObject([{ code: 'FILE_INCOMPLETE' }]);
  });
});

describe('channels', () => {
  test.each([
    ['two in opposite phase', [12_000, -12_000]],
    ['the low-frequency channel of 2.1', [0, 0, 12_000]],
    ['the last of 16', [...Array<number>(15).fill(0), 12_000]],
  ])('are mixed without loss: %s', async (_, amplitudes) => {
    const { loudest, warnings } = await decoded(toneIn(amplitudes));
    expect(loudest[0]).toBeGreaterThan(11_000);
    expect(warnings).toEqual([]);
  });

  test('are kept apart as left and right', async () => {
    expect((await decoded(toneIn([12_000, -6_000]), { channels: 2 })).loudest).toEqual([about(12_000), about(6_000)]);
  });
});

describe('a file with several sound tracks', () => {
  test('is decoded from the default one, with a warning', async () => {
    const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000,atrim=0:0.5'];
    const tracks = ['-map', '0:a', '-map', '1:a', '-disposition:a:0', '0', '-disposition:a:1', 'default'];
    const { sounds, warnings } = await decoded(made('tracks.mp4', ...silence, ...TONE, ...tracks));
    expect(sounds).toEqual([[about(0)]]);
    expect(warnings).toEqual([{ code: 'OTHER_TRACKS', message: 'The file has 2 sound tracks. Only the default one was transcribed.' }]);
  });
});

describe('files joined byte by byte', { timeout: 60_000 }, () => {
  test.each([
    ['wav', []],
    ['aiff', []],
    ['mp4', ['-c:a', 'aac']],
    ['mp3', []],
    ['mkv', ['-c:a', 'libopus']],
    ['w64', []],
  ])('are decoded as one recording: %s', async (ending, codec) => {
    const one = made(`one.${ending}`, ...TONE, ...codec);
    const three = await decoded(joined(one, one, one));
    // Encoders add up to 50 ms to each.
    expect(three.processed).toBeGreaterThanOrEqual(1_490);
    expect(three.processed).toBeLessThan(1_700);
    expect(three.warnings).toEqual([]);
  });

  test('may differ in rate and channels, and fragmented files may be among them', async () => {
    const [mono, stereo] = [made('a.wav', ...TONE), made('b.wav', ...TONE, '-ar', '44100', '-ac', '2')];
    expect(await decoded(joined(mono, stereo))).toMatchObject({ length: about(1_000), warnings: [] });
    const fragmented = made('c.mp4', ...TONE, '-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov');
    expect((await decoded(joined(fragmented, fragmented))).length).toEqual(about(1_100));
  });

  test('keep what can be decoded if one of them cannot', async () => {
    const tone = made('tone.mp4', ...TONE, '-c:a', 'aac');
    const cut = newFile('cut.mp4');
    writeFileSync(cut, readFileSync(tone).subarray(0, 2_000));
    const { length, warnings } = await decoded(joined(tone, cut));
    expect(length).toEqual(about(560));
    expect(warnings).toMatchObject([{ code: 'FILE_DAMAGED' }]);
  });

  test('are not seen in tags after the sound', async () => {
    const tagged = made('tagged.wav', ...TONE, '-metadata', `title=${'x'.repeat(9_000)}`);
    expect(await decoded(tagged)).toMatchObject({ length: 500, warnings: [] });
  });

  test('are mentioned if the rest is something else', async () => {
    const other = newFile('other');
    writeFileSync(other, Buffer.alloc(20_000, 0xab));
    expect((await decoded(joined(toneIn([9_000]), other))).warnings).toEqual([
      { code: 'DATA_AFTER_END', message: 'After the end of its sound, the file has 20000 bytes that were not transcribed.' },
    ]);
  });
});
