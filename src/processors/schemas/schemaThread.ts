/** Body of the threads that compile and apply callers' JSON Schemas, so that no schema can block the server's event loop. */
import { parentPort } from 'node:worker_threads';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import { isJsonObject } from '../../json.ts';
import type { Finding, JobBegun, SchemaJob, SchemaOutcome } from './messages.ts';

/** The part of a regular expression that ajv uses. */
interface Pattern {
  test(text: string): boolean;
  /** ajv's cache key: unique for each pattern. */
  toString(): string;
}

/**
 * A pattern that matches in linear time. Patterns with look-around or back-references run on JavaScript's own engine, which may backtrack without
 * end; there the time limit of the job is the bound. Throws for an invalid regular expression.
 */
const pattern = (source: string, flags: string): Pattern => {
  // First, because ECMAScript decides whether a pattern is valid.
  const native = new RegExp(source, flags);
  try {
    const linear = RE2JS.compile(RE2JS.translateRegExp(source));
    return { test: (text) => linear.matcher(text).find(), toString: () => `/${source}/${flags}` };
  } catch {
    return native;
  }
};

/** For ajv's `code.regExp`. `code` is used only for generated stand-alone code, which this project does not make. */
const linearPattern = Object.assign(pattern, { code: 'linearPattern' });

const OPTIONS = { strict: false, logger: false, validateFormats: false, inlineRefs: false } as const;
const MAX_FINDINGS = 20;
const MAX_MESSAGE = 500;
const META = new Ajv2020(OPTIONS);
// Compiles the meta-schema's validator now, so that it takes no job's time.
META.validateSchema({});

/** Bound of the cache of compiled schemas, in characters of schema text. */
const KEPT_CHARACTERS = 262_144;
const compiled = new LRUCache<string, ValidateFunction>({ maxSize: KEPT_CHARACTERS });

const unusable = (reason: string): SchemaOutcome => ({ is: 'unusable', reason: reason.slice(0, MAX_MESSAGE) });

/** Throws an `Error` with the reason if the schema is unusable. */
const compile = (text: string): ValidateFunction => {
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new Error('it is not an object');
  // The drafts hardly differ here. `$async` is ajv's own keyword and would make validation return a promise.
  const { $schema: _, $async: __, ...schema } = value;
  if (META.validateSchema(schema) !== true) throw new Error(META.errorsText(META.errors, { dataVar: 'schema' }));
  const ajv = new Ajv2020({ ...OPTIONS, allErrors: true, meta: false, validateSchema: false, code: { regExp: linearPattern } });
  return ajv.compile(schema);
};

const validatorOf = ({ hash, schema }: SchemaJob): ValidateFunction => {
  const known = compiled.get(hash);
  if (known) return known;
  const validate = compile(schema);
  compiled.set(hash, validate, { size: Math.max(1, schema.length) });
  return validate;
};

const findingOf = ({ instancePath, message, params }: ErrorObject): Finding => {
  const unknown: unknown = params.additionalProperty;
  if (typeof unknown === 'string')
    return { path: `${instancePath}/${unknown}`.slice(0, MAX_MESSAGE), message: 'is not a member of the schema' };
  return { path: instancePath.slice(0, MAX_MESSAGE), message: (message ?? 'is not valid').slice(0, MAX_MESSAGE) };
};

/** Compiles a schema, and applies it to the job's value. */
export default (job: SchemaJob): SchemaOutcome => {
  // Its time limit begins now, and not while it waits for a thread.
  parentPort?.postMessage({ begun: job.number } satisfies JobBegun);
  try {
    const validate = validatorOf(job);
    if (job.value === null) return { is: 'usable' };
    if (validate(JSON.parse(job.value)) === true) return { is: 'fits' };
    return { is: 'misfit', findings: (validate.errors ?? []).slice(0, MAX_FINDINGS).map(findingOf) };
  } catch (error) {
    return unusable(error instanceof Error ? error.message : 'it cannot be compiled');
  }
};
