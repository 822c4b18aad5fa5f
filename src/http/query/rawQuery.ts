import { decode } from '../../percent.ts';

/** One `name=value` of a query. */
export interface QueryPair {
  /** Decoded; `null` if its percent-encoding or UTF-8 is invalid. */
  readonly name: string | null;
  /** The value, undecoded. */
  readonly raw: string;
}

/** The query of a request, taken apart once for everything that reads it. */
export class RawQuery {
  /** The text after the `?`, undecoded. */
  readonly text: string;
  /** In the order given, without empty ones. */
  readonly pairs: readonly QueryPair[];

  constructor(text: string) {
    this.text = text;
    this.pairs = text === '' ? NO_PAIRS : text.split('&').filter(Boolean).map(pairOf);
  }

  /** The query with fields that came otherwise, such as those of a form. */
  with(fields: readonly { readonly name: string; readonly value: string }[]): RawQuery {
    const added = fields.map(({ name, value }) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
    return new RawQuery([this.text, ...added].filter(Boolean).join('&'));
  }

  /** The values of a name, decoded; `null` for one that cannot be. */
  valuesOf(wanted: string): (string | null)[] {
    return this.pairs.filter(({ name }) => name === wanted).map(({ raw }) => decode(raw));
  }
}

const NO_PAIRS: readonly QueryPair[] = [];

const pairOf = (pair: string): QueryPair => {
  const equals = pair.indexOf('=');
  return equals < 0 ? { name: decode(pair), raw: '' } : { name: decode(pair.slice(0, equals)), raw: pair.slice(equals + 1) };
};
