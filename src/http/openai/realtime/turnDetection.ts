import { enumValueIn, isJsonObject, type Json, type JsonObject } from '../../../json.ts';
import { invalidField } from '../../errors/openAiErrors.ts';

const TYPES = ['server_vad', 'semantic_vad'] as const;
const EAGERNESS = ['low', 'medium', 'high', 'auto'] as const;
type Eagerness = (typeof EAGERNESS)[number];

/** How the server ends utterances. `eagerness`: only of `semantic_vad`. */
export interface TurnDetection {
  readonly eagerness: Eagerness | null;
  /** The pause that ends an utterance. */
  readonly silenceMilliseconds: number;
  /** How much earlier than its first sound an utterance begins. */
  readonly paddingMilliseconds: number;
}

export const DEFAULT_TURNS: TurnDetection = { eagerness: null, silenceMilliseconds: 500, paddingMilliseconds: 300 };

/** No engine here judges whether a sentence is complete, so a pause stands for it. */
const PAUSES: Readonly<Record<Eagerness, number>> = { low: 2_000, medium: 1_000, auto: 1_000, high: 500 };

const MEMBER = 'session.audio.input.turn_detection';

/** Throws 400 with the member at fault. */
export const turnDetectionOf = (given: Json): TurnDetection | null => {
  if (given === null) return null;
  const members: JsonObject = isJsonObject(given) ? given : { type: given };
  if (choice(members, 'type', TYPES, null) === 'semantic_vad') {
    const eagerness = choice(members, 'eagerness', EAGERNESS, 'auto');
    return { ...DEFAULT_TURNS, eagerness, silenceMilliseconds: PAUSES[eagerness] };
  }
  return {
    eagerness: null,
    silenceMilliseconds: milliseconds(members, 'silence_duration_ms', 200, 5_000) ?? DEFAULT_TURNS.silenceMilliseconds,
    paddingMilliseconds: milliseconds(members, 'prefix_padding_ms', 0, 2_000) ?? DEFAULT_TURNS.paddingMilliseconds,
  };
};

export const turnDetectionShown = (turns: TurnDetection | null): object | null => {
  if (!turns) return null;
  const { eagerness, silenceMilliseconds, paddingMilliseconds } = turns;
  if (eagerness !== null) return { type: 'semantic_vad', eagerness };
  return { type: 'server_vad', threshold: 0.5, prefix_padding_ms: paddingMilliseconds, silence_duration_ms: silenceMilliseconds };
};

const choice = <Value extends string>(members: JsonObject, name: string, values: readonly Value[], otherwise: Value | null): Value => {
  const given = members[name] ?? otherwise;
  const value = typeof given === 'string' ? enumValueIn(given, values) : undefined;
  if (value === undefined)
    throw invalidField(`${MEMBER}.${name}`, `${JSON.stringify(given)?.slice(0, 100)} is not a value of ${name}. Use ${values.join(', ')}.`);
  return value;
};

const milliseconds = (members: JsonObject, name: string, least: number, most: number): number | null => {
  const given = members[name] ?? null;
  if (given === null) return null;
  if (typeof given !== 'number' || !Number.isInteger(given) || given < least || given > most)
    throw invalidField(`${MEMBER}.${name}`, `${name} must be ${least} to ${most} milliseconds.`);
  return given;
};
