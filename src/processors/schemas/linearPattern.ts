import { RE2JS } from 're2js';

/** The part of a regular expression that ajv uses. */
interface Pattern {
  test(text: string): boolean;
  /** ajv's cache key: unique for each pattern. */
  toString(): string;
}

/**
 * A pattern that matches in linear time. Patterns with look-around or back-references run on JavaScript's own engine, which may backtrack without
 * end; there the thread's CPU budget is the bound. Throws for an invalid regular expression.
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
export const linearPattern = Object.assign(pattern, { code: 'linearPattern' });
