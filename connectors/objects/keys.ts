import { RunFailure } from '../../core/failures.js';

const invalid = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

/** As RFC 3986 wants it, which signatures are computed over. */
export const encodeWord = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** A key as a path of an URL; its slashes stay. */
export const encodeKey = (key: string): string => key.split('/').map(encodeWord).join('/');

const longestKey = 1024;

/** Services take almost any key; the path of an URL and other stores do not. */
export const isPath = (key: string): boolean =>
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..');

/** The keys of a connection lie below a prefix of the bucket, which nobody outside sees. */
export interface Rooted {
  /** The service's own key. Refuses what is no path within the connection. */
  full: (key: string) => string;
  /** The service's prefix for one of ours, the empty one included. */
  fullPrefix: (prefix: string) => string;
  /** Our key for one of the service's; undefined for what stands for a directory there. */
  own: (full: string) => string | undefined;
}

/** `refused`: characters that the service would change. */
export const rootedAt = (prefix = '', refused?: RegExp): Rooted => {
  const trimmed = prefix.replace(/^\/+|\/+$/g, '');
  const root = trimmed === '' ? '' : `${trimmed}/`;
  return {
    full: (key) => {
      const full = `${root}${key}`;
      if (
        !isPath(full) ||
        refused?.test(full) === true ||
        /\p{Surrogate}/u.test(full) ||
        full.includes('\0')
      ) {
        throw invalid(`Not a path within the connection’s prefix: ${JSON.stringify(key)}.`);
      }
      if (Buffer.byteLength(full) > longestKey) {
        throw invalid(`The path is longer than ${longestKey} bytes: ${key.slice(0, 100)}….`);
      }
      return full;
    },
    fullPrefix: (key) => `${root}${key}`,
    own: (full) => {
      const key = full.slice(root.length);
      return key === '' || key.endsWith('/') ? undefined : key;
    },
  };
};
