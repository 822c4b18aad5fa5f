import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../json.ts';
import { type EngineExit, InvalidEngineOutput, startEngine } from '../../speech/engineProcess.ts';
import { ProcessorError } from '../processor.ts';
import { type JoinedFiles, joinedFiles } from './joinedFiles.ts';
import type { MediaFacts } from './mediaFacts.ts';
import { evidentlyNoRecording, formatName } from './namedData.ts';
import { readWavHeader } from './wavHeader.ts';

const HEAD_BYTES = 65_536;
const PROBE_MILLISECONDS = 30_000;

/** The first bytes of a source. */
export const headOf = async (bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, HEAD_BYTES);
};

const headOfFile = (file: string): Promise<Uint8Array> => headOf(createReadStream(file, { end: HEAD_BYTES - 1 }));

/**
 * Formats that may be decoded. The list is closed because some formats (playlists, concat scripts) name other files, and a hostile upload must not
 * make the decoder read those.
 */
export const DECODED_FORMATS = [
  ...[
    'aac',
    'ac3',
    'aiff',
    'amr',
    'amrnb',
    'amrwb',
    'ape',
    'asf',
    'au',
    'avi',
    'caf',
    'codec2',
    'dss',
    'dv',
    'eac3',
    'flac',
    'flv',
    'g723_1',
    'gsm',
  ],
  ...[
    'gxf',
    'iff',
    'ilbc',
    'ircam',
    'loas',
    'matroska',
    'mov',
    'mp3',
    'mp4',
    'mpc',
    'mpc8',
    'mpeg',
    'mpegts',
    'mxf',
    'nistsphere',
    'nut',
    'ogg',
    'oma',
  ],
  ...['qcp', 'sox', 'tta', 'voc', 'w64', 'wav', 'webm', 'wv', 'xwma'],
].join(',');

/** Options before the input of ffmpeg and ffprobe. `subfile` reads a part of a file. */
export const FILE_INPUT = ['-protocol_whitelist', 'file,subfile', '-format_whitelist', DECODED_FORMATS];

const PROBED_MEMBERS =
  'stream=index,codec_type,codec_name,codec_tag_string,sample_rate,channels,start_time,duration:stream_disposition=default:stream_tags=DURATION:format=format_name,start_time,duration';

const MOST_LINES = 20_000;

/** A recording as ffprobe sees it, or why it cannot be decoded. `evident`: no other decoder can either, since it is no recording. */
export type Inspected = { readonly facts: MediaFacts } | { readonly failure: ProcessorError; readonly evident?: true };

/** Inspects a recording once for all who need its facts: by the header of a WAV file, otherwise with ffprobe. Rejects with the signal's reason. */
export const inspectMedia = async (file: string, ffprobe: string, signal: AbortSignal): Promise<Inspected> => {
  const wav = readWavHeader(await headOfFile(file), (await stat(file)).size, { stated: true });
  if (wav) return { facts: withParts(wav, await joinedFiles(file)) };
  const { exit, lines } = await probe(ffprobe, file, signal);
  if (exit.code === 127) return { failure: noDecoder() };
  const found = exit.code === 0 ? jsonObjectIn(lines.join('\n')) : null;
  if (found) {
    const inspected = factsOf(found, exit.complaint);
    return 'facts' in inspected ? { facts: withParts(inspected.facts, await joinedFiles(file)) } : inspected;
  }
  const evident = evidentlyNoRecording(await headOfFile(file));
  if (evident !== null) return { failure: notAudio(evident), evident: true };
  return { failure: notAudio(decoderReason(exit.complaint)) };
};

/** The length that was read is that of the first part. */
const withParts = (facts: MediaFacts, { parts, rest }: JoinedFiles): MediaFacts => ({
  ...facts,
  milliseconds: parts.length > 1 ? null : facts.milliseconds,
  parts,
  rest,
});

const probe = async (command: string, file: string, signal: AbortSignal): Promise<{ exit: EngineExit; lines: readonly string[] }> => {
  const over = AbortSignal.any([signal, AbortSignal.timeout(PROBE_MILLISECONDS)]);
  const shown = ['-v', 'warning', ...FILE_INPUT, '-show_entries', PROBED_MEMBERS, '-of', 'json', `file:${file}`];
  const process = startEngine(command, shown, over);
  const lines: string[] = [];
  try {
    for await (const line of process.lines) if (lines.length < MOST_LINES) lines.push(line);
  } catch (error) {
    if (!(error instanceof InvalidEngineOutput)) throw error;
  }
  const exit = await process.exit;
  signal.throwIfAborted();
  return { exit, lines };
};

const UNKNOWN = 'The data could not be decoded as audio.';

export const notAudio = (reason = UNKNOWN) => new ProcessorError('PROCESSOR_TRANSCODING_ERROR', reason);

export const noDecoder = () =>
  new ProcessorError('PROCESSOR_TRANSCRIPTION_ERROR', 'The audio decoder could not be started.', true).because('SERVER_INCOMPLETE');

/** The decoder's error in words for the sender of the file. */
export const decoderReason = (complaint: string): string | undefined =>
  complaint.includes('moov atom not found')
    ? 'The file is incomplete: its index (the "moov" atom) is missing, so nothing in it can be decoded. Send the whole file.'
    : undefined;

/** The failure of an inspection, with the name of the format if the inspection left that open. */
export const namedFailure = async (failure: ProcessorError, file: string, ffprobe: string, signal: AbortSignal): Promise<ProcessorError> =>
  failure.message === UNKNOWN ? notAudio(await unreadable(file, ffprobe, signal)) : failure;

/** The format of the data by their beginning, which ffprobe names only in its debug log. It opens no format that is not on the list. */
const unreadable = async (file: string, ffprobe: string, signal: AbortSignal): Promise<string | undefined> => {
  const args = ['-v', 'debug', ...FILE_INPUT, `file:${file}`];
  const { complaint } = await startEngine(ffprobe, args, AbortSignal.any([signal, AbortSignal.timeout(PROBE_MILLISECONDS)])).exit;
  signal.throwIfAborted();
  const [, names, score] = /Format (\S{1,100}) probed with size=\d+ and score=(\d+)/.exec(complaint) ?? [];
  if (names === undefined || Number(score) < SURE_SCORE) return undefined;
  const isDecoded = names.split(',').some((name) => DECODED_FORMATS.split(',').includes(name));
  return isDecoded
    ? `The file is damaged: it begins like ${formatName(names)}, but no sound in it can be decoded.`
    : `This format is not supported: ${formatName(names)}. Convert the recording to WAV, FLAC or MP3.`;
};

/** Lower scores of ffprobe are guesses. */
const SURE_SCORE = 26;

const list = (value: Json | undefined): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

const numberIn = (value: Json | undefined): number | null => {
  const number = typeof value === 'string' || typeof value === 'number' ? Number.parseFloat(String(value)) : Number.NaN;
  return Number.isFinite(number) ? number : null;
};

const factsOf = ({ streams, format }: JsonObject, complaint: string): Inspected => {
  const tracks = list(streams);
  const sound = tracks.filter((track) => track.codec_type === 'audio');
  if (sound.length === 0) {
    return { failure: notAudio(tracks.some((track) => track.codec_type === 'video') ? 'The file has video but no sound.' : undefined) };
  }
  const known = sound.filter((track) => (numberIn(track.channels) ?? 0) >= 1 && (numberIn(track.sample_rate) ?? 0) > 0);
  const track = known.find(isDefault) ?? known[0];
  if (!track) return { failure: notAudio(unknownCodec(sound[0] ?? {})) };
  const file = isJsonObject(format) ? format : {};
  const begins = Math.max(0, (numberIn(track.start_time) ?? 0) - (numberIn(file.start_time) ?? 0));
  const seconds = statedSeconds({ track, file, begins, isOnly: tracks.length === 1 }, complaint);
  const facts = {
    sampleRate: numberIn(track.sample_rate) ?? 0,
    channels: numberIn(track.channels) ?? 1,
    milliseconds: seconds === null ? null : Math.round(seconds * 1_000),
    track: numberIn(track.index) ?? 0,
    soundTracks: sound.length,
    begins: Math.round(begins * 1_000),
    ...(complaint.includes('invalid concatenated file') && { hasJoints: true as const }),
    parts: [],
    rest: 0,
  };
  return { facts };
};

const isDefault = ({ disposition }: JsonObject): boolean => isJsonObject(disposition) && disposition.default === 1;

const unknownCodec = ({ codec_name: name, codec_tag_string: tag }: JsonObject): string | undefined => {
  const codec = [name, tag].find((one) => typeof one === 'string' && /^[\w-]{2,30}$/.test(one) && one !== 'unknown');
  return codec === undefined
    ? undefined
    : `This format is not supported: sound coded as ${codec}. Convert the recording to WAV, FLAC or MP3.`;
};

/** MPEG has no length, only times: what ffprobe answers is the last one less the first one. AVI counts empty packets. */
const NO_LENGTH = ['mpegts', 'mpeg', 'avi'];
/** Its tracks have the length of the file. */
const ONE_LENGTH = 'asf';

/** How long the file says that the track lasts, from the beginning of the file on. The length of another track says nothing about this one. */
const statedSeconds = (
  { track, file, begins, isOnly }: { track: JsonObject; file: JsonObject; begins: number; isOnly: boolean },
  complaint: string,
): number | null => {
  const isEstimate = complaint.includes('Estimating duration') || NO_LENGTH.includes(String(file.format_name));
  if (isEstimate) return null;
  const own = numberIn(track.duration);
  if (own !== null) return file.format_name === ONE_LENGTH && !isOnly ? null : begins + own;
  const end = taggedSeconds(track) ?? (isOnly ? numberIn(file.duration) : null);
  // Matroska files count from the zero of their clock.
  const zero = String(file.format_name).startsWith('matroska') ? (numberIn(file.start_time) ?? 0) : 0;
  return end === null ? null : Math.max(0, end - Math.max(0, zero));
};

/** `00:01:02.500000000`, as Matroska files have it for each track. */
const taggedSeconds = ({ tags }: JsonObject): number | null => {
  const tag = isJsonObject(tags) && typeof tags.DURATION === 'string' ? tags.DURATION : '';
  const [, hours, minutes, seconds] = /^(\d{1,6}):(\d\d):(\d\d(?:\.\d{1,9})?)$/.exec(tag) ?? [];
  return seconds === undefined ? null : Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
};
