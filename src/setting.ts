/** An invalid setting. The message names it and the allowed values. */
export class BadSetting extends Error {
  constructor(
    readonly setting: string,
    reason: string,
  ) {
    super(`${setting}: ${reason}`);
    this.name = 'BadSetting';
  }
}

interface Setting<T> {
  readonly name: string;
  readonly meaning: string;
  /** As shown in `--help` and `.env.example`; empty for none. */
  readonly shown: string;
  readonly secret: boolean;
  read(text: string | undefined): T;
}

interface Shown {
  /** The default as shown. Default: the fallback as text. */
  readonly shown?: string;
  readonly secret?: boolean;
}

/** One setting of the environment: its name and meaning, its value if it is unset, and its check. An empty value counts as unset, as Compose files and shells write it. */
export const setting = <T>(
  name: string,
  meaning: string,
  fallback: T,
  parse: (text: string) => T,
  { shown = String(fallback), secret = false }: Shown = {},
): Setting<T> => ({
  name,
  meaning,
  shown,
  secret,
  read(text) {
    if (text === undefined || text === '') return fallback;
    return inSetting(name, () => parse(text));
  },
});

/** Reads the value of a setting. An error becomes a `BadSetting`. */
export const inSetting = <T>(name: string, read: () => T): T => {
  try {
    return read();
  } catch (error) {
    throw new BadSetting(name, error instanceof Error ? error.message : String(error));
  }
};

/** A setting that is `null` if it is unset. */
export const optional = <T>(name: string, meaning: string, parse: (text: string) => T, shown: Shown = {}): Setting<T | null> =>
  setting<T | null>(name, meaning, null, parse, { shown: '', ...shown });

/** For `parse`: the value is invalid, and why. */
export const refuse = (reason: string): never => {
  throw new Error(reason);
};

/** A whole number within bounds, both inclusive. */
export const integer =
  (minimum: number, maximum: number) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    return value >= minimum && value <= maximum ? value : refuse(`"${text}" is not a whole number from ${minimum} to ${maximum}`);
  };

export const oneOf =
  <T extends string>(...values: readonly T[]) =>
  (text: string): T =>
    values.find((value) => value === text) ?? refuse(`"${text}" is not one of ${values.join(', ')}`);

export const text = (value: string): string => value;

/** Without a trailing slash. */
export const httpUrl = (value: string): string => {
  const url = URL.canParse(value) ? new URL(value) : refuse(`"${value}" is not a URL`);
  return url.protocol === 'http:' || url.protocol === 'https:'
    ? value.replace(/\/+$/, '')
    : refuse(`"${value}" is not an http or https URL`);
};

/** With user information if the proxy needs it. */
export const proxyUrl = (value: string): URL => new URL(httpUrl(value));

/** As it is written: a slash at its end counts. */
export const issuerUrl = (value: string): string => {
  httpUrl(value);
  return value;
};

/** Names of domains in lower case, comma-separated. */
export const domains = (value: string): readonly string[] =>
  value.split(',').map((part) => {
    const domain = part.trim().toLowerCase();
    return /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain) ? domain : refuse(`"${domain}" is not a domain, such as example.com`);
  });

/** Origins as browsers send them, comma-separated; `*` allows every origin. */
export const origins = (value: string): readonly string[] =>
  value.split(',').map((part) => {
    const origin = part.trim();
    const isOrigin = URL.canParse(origin) && /^https?:[^*]+$/.test(origin) && new URL(origin).origin === origin;
    return origin === '*' || isOrigin ? origin : refuse(`"${origin}" is not an origin. Use scheme, host and port only, or *`);
  });

/** Headers for requests to a server. */
export const headerList = (value: string): string =>
  /^\s*[\w-]+\s*=[^,]*(,\s*[\w-]+\s*=[^,]*)*$/.test(value) ? value : refuse('it takes name=value pairs, comma-separated');

export const bootstrapSecret = (value: string): string => (value.length >= 32 ? value : refuse('needs at least 32 characters'));

/** False, true, a number of hops or a list of addresses, as for Express's `trust proxy`. */
export const trustProxy = (value: string): boolean | number | string => {
  if (value === 'true' || value === 'false') return value === 'true';
  return /^\d+$/.test(value) ? Number(value) : value;
};
