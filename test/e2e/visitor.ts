/** The browser of a person who signs in: follows redirects one by one, and keeps the cookies of each origin. */
export class Visitor {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The cookies of an origin, as the browser keeps them. */
  cookies(origin: string): Map<string, string> {
    const known = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, known);
    return known;
  }

  /** One request. Redirects are not followed. */
  async request(url: string, init: RequestInit = {}): Promise<Response> {
    const kept = this.cookies(new URL(url).origin);
    const cookie = [...kept].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', ...init, headers: { ...(cookie && { cookie }), ...init.headers } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = '', ...flags] = line.split('; ');
      const [name = '', value = ''] = pair.split(/=(.*)/);
      if (value === '' || flags.includes('Max-Age=0')) kept.delete(name);
      else kept.set(name, value);
    }
    return response;
  }

  /** A change from a page of the same origin. */
  change(url: string, method: string, body?: object): Promise<Response> {
    const headers = { origin: new URL(url).origin, 'x-requested-with': 'Tributary', 'content-type': 'application/json' };
    return this.request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  }

  /** Follows redirects up to the first address that `stops` names. Returns that address unvisited. */
  async follow(start: string, stops: (url: string) => boolean): Promise<string> {
    let url = start;
    for (let hops = 0; hops < 20; hops++) {
      if (stops(url)) return url;
      const response = await this.request(url);
      url = nextOf(response, url) ?? (await this.#fillIn(response, url));
    }
    throw new Error(`too many redirects, last to ${url}`);
  }

  /** Name of the account that the provider's pages are filled in with. */
  account = 'anna';

  /** The provider's pages have one form each: for the account, and for the consent. */
  async #fillIn(response: Response, url: string): Promise<string> {
    const html = await response.text();
    const action = /action="([^"]+)"/.exec(html)?.[1];
    const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1];
    if (action === undefined || prompt === undefined) throw new Error(`${url} answered ${response.status} without a form: ${html}`);
    const body = new URLSearchParams({ prompt, login: this.account, password: 'any' });
    return nextOf(await this.request(new URL(action, url).href, { method: 'POST', body }), url) ?? '';
  }
}

const nextOf = (response: Response, url: string): string | null => {
  const location = response.headers.get('location');
  return location === null ? null : new URL(location, url).href;
};
