import { type Dispatcher, request } from 'undici';

/** More than a server needs before its answer; a hostile one sends them without end. */
const MOST_INFORMATIONAL = 100;

class TooManyInformational extends Error {
  readonly code = 'TOO_MANY_1XX';

  constructor() {
    super(`The server sent more than ${MOST_INFORMATIONAL} informational (1xx) responses before its answer.`);
    this.name = 'TooManyInformational';
  }
}

type Options<Opaque> = { readonly dispatcher: Dispatcher } & Omit<
  Dispatcher.RequestOptions<Opaque>,
  'origin' | 'path' | 'method' | 'onInfo'
> &
  Partial<Pick<Dispatcher.RequestOptions, 'method'>>;

/** undici's `request` for servers that callers choose. Rejects with `TooManyInformational` if one sends many 1xx responses. */
export const boundedRequest = <Opaque = null>(url: string, options: Options<Opaque>): Promise<Dispatcher.ResponseData<Opaque>> => {
  let informational = 0;
  const onInfo = (): void => {
    informational += 1;
    if (informational > MOST_INFORMATIONAL) throw new TooManyInformational();
  };
  return request(url, { ...options, onInfo });
};

/** If a name has several addresses, the failure of the first one. */
export const causeOf = (error: unknown): unknown => (error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error);
