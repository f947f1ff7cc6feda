import { RunFailure } from '../../core/failures.js';

type Query = Readonly<Record<string, string | number | boolean>>;

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** An address without its query, which may hold what is nobody's business. */
export const shownAddress = ({ origin, pathname }: URL): string => `${origin}${pathname}`;

const parse = (text: string, base?: URL): URL => {
  try {
    return new URL(text, base);
  } catch {
    throw refused('The address is no URL: check baseUrl and path.');
  }
};

/** Addresses below a connection's base; none that leads elsewhere ever gets its credentials. */
export const makeAddresses = (baseUrl: string) => {
  const base = parse(baseUrl.replace(/\/+$/, ''));
  if (base.username !== '' || base.password !== '') {
    throw refused('baseUrl must not have a user in it: use auth.');
  }
  const root = base.pathname.replace(/\/$/, '');

  return {
    below: (path: string, query: Query = {}): URL => {
      const [way = '', search = ''] = path.split(/\?(.*)/s);
      const between = way === '' || way.startsWith('/') ? '' : '/';
      const url = parse(`${base.origin}${root}${between}${way}`);
      if (url.origin !== base.origin || !`${url.pathname}/`.startsWith(`${root}/`)) {
        throw refused('The path leads to somewhere that is not below baseUrl.');
      }
      url.search = search;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
      return url;
    },

    /** Where an answer says that it goes on, as seen from where it came from. */
    following: (link: string, from: URL): URL => {
      const url = parse(link, from);
      url.hash = '';
      // Behind what ends TLS for it, a server often does not know that it is https.
      if (url.protocol === 'http:' && url.hostname === base.hostname) url.protocol = base.protocol;
      if (url.origin === base.origin && url.username === '' && url.password === '') return url;
      throw refused(
        `${shownAddress(from)}: its next page is said to be at another server, ${url.origin}: ` +
          'set baseUrl to that one.',
      );
    },
  };
};

export type Addresses = ReturnType<typeof makeAddresses>;
