import { useState } from 'preact/hooks';
import type { Json, JsonSchema } from '../api/types.ts';
import { CheckField, ChecksField, LinesField, SelectField, TextField } from './Field.tsx';

interface SchemaFieldProps {
  readonly label: string;
  readonly schema: JsonSchema;
  /** `undefined`: not set; the schema's default holds. */
  readonly value: Json | undefined;
  readonly onChange: (value: Json | undefined) => void;
  /** Values that this server cannot run. */
  readonly refusals?: readonly Refusal[] | undefined;
}

export interface Refusal {
  readonly value: Json;
  readonly reason: string;
}

/** A control for one value, chosen by its JSON Schema: a switch, a choice, a number, a text, or JSON for anything else. */
export const SchemaField = ({ label, schema, value, onChange, refusals = [] }: SchemaFieldProps) => {
  const given = value ?? schema.default;
  const isRefused = (one: Json) => refusals.some((refusal) => refusal.value === one);
  if (schema.enum) {
    const options = schema.enum.map(
      (one) => [String(one), isRefused(one) ? `${one} (cannot run here)` : String(one), isRefused(one) && one !== given] as const,
    );
    return (
      <SelectField
        label={label}
        hint={withReason(schema.description, refusals)}
        value={given === undefined ? '' : String(given)}
        options={given === undefined || schema.default === undefined ? [['', 'Not set'], ...options] : options}
        onChange={(chosen) => onChange(schema.enum?.find((one) => String(one) === chosen))}
      />
    );
  }
  if (schema.type === 'boolean')
    return (
      <CheckField
        label={label}
        hint={refusals[0]?.reason ?? schema.description}
        checked={given === true}
        disabled={refusals.length > 0 && given !== true}
        onChange={onChange}
      />
    );
  if (schema.type === 'integer' || schema.type === 'number')
    return <NumberField label={label} schema={schema} value={value} onChange={onChange} />;
  if (takesText(schema)) {
    const takesList = Array.isArray(schema.type) && schema.type.includes('array');
    return (
      <TextField
        label={label}
        hint={withReason(takesList ? `${schema.description ?? ''} Several are separated by commas.` : schema.description, refusals)}
        suggestions={schema.examples?.filter((one) => !isRefused(one)).map(String)}
        value={Array.isArray(given) ? given.join(', ') : given === undefined ? '' : String(given)}
        onInput={(text) => onChange(text === '' ? undefined : takesList && text.includes(',') ? listOf(text) : text)}
      />
    );
  }
  if (schema.type === 'array' && schema.items?.enum)
    return (
      <ChecksField
        label={label}
        hint={withReason(schema.description, [])}
        options={schema.items.enum.map(String)}
        chosen={textsIn(given)}
        atLeastOne={schema.minItems === 1}
        onChange={(chosen) => onChange(chosen.length === 0 ? undefined : [...chosen])}
      />
    );
  if (schema.type === 'array' && schema.items?.type === 'string')
    return (
      <LinesField
        label={label}
        hint={withReason(`${schema.description ?? ''} One on each line.`, [])}
        lines={textsIn(given)}
        onInput={(lines) => onChange(lines.length === 0 ? undefined : [...lines])}
      />
    );
  return <JsonField label={label} schema={schema} value={value} onChange={onChange} />;
};

/** A hint that names the values that cannot run, and the first reason. */
const withReason = (hint: string | undefined, refusals: readonly Refusal[]): string | undefined => {
  const [first] = refusals;
  if (!first) return hint?.replaceAll('`', '');
  const isOneReason = refusals.every(({ reason }) => reason === first.reason);
  const values = refusals.map(({ value }) => value).join(', ');
  return `${hint ?? ''} This server cannot run ${values}. ${isOneReason ? '' : 'For example: '}${first.reason}`.trim();
};

const textsIn = (value: Json | undefined): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const takesText = ({ type }: JsonSchema): boolean => type === 'string' || (Array.isArray(type) && type.includes('string'));

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

const NumberField = ({ label, schema, value, onChange }: SchemaFieldProps) => {
  const [text, setText] = useState(value === undefined ? '' : String(value));
  const { minimum, maximum, description, default: byDefault } = schema;
  const bounds = minimum !== undefined && maximum !== undefined ? ` ${minimum} to ${maximum}.` : '';
  const wrong = text !== '' && !isWithin(Number(text), schema);
  return (
    <TextField
      label={label}
      type="number"
      hint={`${description ?? ''}${bounds}`}
      error={wrong ? `Enter a ${schema.type === 'integer' ? 'whole ' : ''}number${bounds ? ` from${bounds}` : '.'}` : undefined}
      placeholder={byDefault === undefined ? '' : String(byDefault)}
      value={text}
      onInput={(typed) => {
        setText(typed);
        onChange(typed === '' ? undefined : Number(typed));
      }}
    />
  );
};

const isWithin = (number: number, { type, minimum = -Infinity, maximum = Infinity }: JsonSchema): boolean =>
  Number.isFinite(number) && number >= minimum && number <= maximum && (type !== 'integer' || Number.isInteger(number));

const JsonField = ({ label, schema, value, onChange }: SchemaFieldProps) => {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value));
  const parsed = text === '' ? undefined : parse(text);
  return (
    <TextField
      label={label}
      hint={`${schema.description ?? ''} As JSON.`}
      error={parsed === null ? 'This is not valid JSON.' : undefined}
      value={text}
      onInput={(typed) => {
        setText(typed);
        const read = typed === '' ? undefined : parse(typed);
        if (read !== null) onChange(read?.value);
      }}
    />
  );
};

const parse = (text: string): { value: Json } | undefined | null => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return null;
  }
};

/** Labels of members whose name alone says too little. */
const TITLES: Readonly<Record<string, string>> = {
  vad: 'Skip silence',
  speakersNumber: 'How many speakers',
  utteranceEndSilence: 'Pause that ends an utterance (ms)',
  noSpeechThreshold: 'Silence threshold',
  splitStereo: 'Transcribe stereo channels separately',
  multichannel: 'Transcribe channels separately',
};

/** The name of a member as words: `noSpeechThreshold` is "No speech threshold". */
export const titleOf = (name: string): string => {
  const known = TITLES[name];
  if (known) return known;
  const words = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
};
