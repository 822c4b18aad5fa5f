// Users and access lists of a server with TLS. An insecure one allows everyone everything.

import { Buffer } from 'node:buffer';

const ADMINISTRATORS = '$admins';
const EVERYBODY = '$all';

const listed = (value) => (value === undefined ? null : Array.isArray(value) ? value : [value]);

export class Rights {
  #log;
  /** `{name: {password, groups}}`; `null`: an insecure server. */
  #users;

  constructor(log, users) {
    this.#log = log;
    this.#users = users;
  }

  get on() {
    return this.#users !== null;
  }

  /** The user of an `Authorization` header: `{name, groups}`, 'wrong' credentials, or `null` without any. */
  user(header) {
    if (!header) return null;
    const [name, password] = Buffer.from(header.replace(/^Basic /, ''), 'base64')
      .toString()
      .split(':');
    const known = this.#users?.[name];
    return known?.password === password ? { name, groups: known.groups } : 'wrong';
  }

  /** Whether the call may do that with an event stream (`$all` for the whole log): `r`, `w` or `d`. */
  allows(header, right, stream) {
    if (!this.on) return true;
    const user = this.user(header);
    if (user === null || user === 'wrong') return false;
    if (user.groups.includes(ADMINISTRATORS)) return true;
    const metadata = stream.startsWith('$$');
    const about = metadata ? stream.slice(2) : stream;
    const list = this.#list(about.startsWith('$') ? '$systemStreamAcl' : '$userStreamAcl', metadata ? `$m${right}` : `$${right}`);
    return list.some((name) => name === EVERYBODY || name === user.name || user.groups.includes(name));
  }

  #list(kind, right) {
    const settings = this.#log.streams.get('$settings')?.records.at(-1);
    const given = settings ? listed(JSON.parse(Buffer.from(settings.data).toString())[kind]?.[right]) : null;
    return given ?? [kind === '$systemStreamAcl' ? ADMINISTRATORS : EVERYBODY];
  }
}
