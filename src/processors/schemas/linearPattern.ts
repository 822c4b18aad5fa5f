import { RE2JS } from 're2js';

/** What ajv needs of a regular expression. */
interface Pattern {
  test(text: string): boolean;
  /** ajv's key for it: two patterns must not share one. */
  toString(): string;
}

/**
 * A pattern that is matched in linear time. Look-around and back-references exist only in JavaScript's own engine, which may backtrack for
 * ever: there the thread's CPU budget is the bound. Throws for text that is no regular expression.
 */
const pattern = (source: string, flags: string): Pattern => {
  // First, because ECMAScript decides what a valid pattern is.
  const native = new RegExp(source, flags);
  try {
    const linear = RE2JS.compile(RE2JS.translateRegExp(source));
    return { test: (text) => linear.matcher(text).find(), toString: () => `/${source}/${flags}` };
  } catch {
    return native;
  }
};

/** For ajv's `code.regExp`. `code` would only matter for generated stand-alone code, which is never made here. */
export const linearPattern = Object.assign(pattern, { code: 'linearPattern' });
