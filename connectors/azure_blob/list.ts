import { RunFailure } from '../../core/failures.js';
import { oddAnswer } from '../objects/failures.js';
import type { Rooted } from '../objects/keys.js';
import { childrenOf, parseXml, textAt } from '../objects/xml.js';
import type { Element } from '../objects/xml.js';
import type { StoreFile } from '../store.js';
import type { Container } from './container.js';

export const bareEtag = (etag: string): string => etag.replace(/^"|"$/g, '');

/** Names that XML cannot hold are encoded as in an URL. */
const nameOf = (blob: Element): string => {
  const [name] = childrenOf(blob, 'Name');
  const encoded = /\bEncoded="true"/i.test(name?.attributes ?? '');
  return encoded ? decodeURIComponent(name?.text ?? '') : (name?.text ?? '');
};

const fileOf = (rooted: Rooted, blob: Element): StoreFile | undefined => {
  const key = rooted.own(nameOf(blob));
  const directory = textAt(blob, 'Properties', 'ResourceType') === 'directory';
  if (key === undefined || directory) return undefined;
  const version = textAt(blob, 'VersionId');
  return {
    key,
    bytes: Number(textAt(blob, 'Properties', 'Content-Length')),
    etag: bareEtag(textAt(blob, 'Properties', 'Etag')),
    ...(version === '' ? {} : { version }),
    modifiedAt: new Date(textAt(blob, 'Properties', 'Last-Modified')),
  };
};

async function* pagesOf(
  container: Container,
  prefix: string,
  signal: AbortSignal,
): AsyncGenerator<readonly Element[]> {
  let marker = '';
  do {
    const query = {
      restype: 'container',
      comp: 'list',
      maxresults: '1000',
      prefix,
      ...(marker === '' ? {} : { marker }),
    };
    const request = { method: 'GET', path: container.path, query } as const;
    const { text } = await container.send(request, { signal, accepts: [200] });
    const result = parseXml(text);
    if (result?.name !== 'EnumerationResults') throw oddAnswer(container.words);
    yield childrenOf(childrenOf(result, 'Blobs')[0], 'Blob');
    marker = textAt(result, 'NextMarker');
  } while (marker !== '');
}

const compare = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

/** Sorted here, they have to be held; more than this is refused. */
const mostSorted = 1_000_000;

const tooMany = (): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `More than ${mostSorted} files in an account with a hierarchical namespace: name a longer prefix.`,
  });

/**
 * An account with a hierarchical namespace lists a directory's files in the directory's place, which
 * is not the order of their keys' bytes; the flat ones do list them so. Not being told counts as flat.
 */
const isHierarchical = async (container: Container, signal: AbortSignal): Promise<boolean> => {
  const query = { restype: 'account', comp: 'properties' };
  const request = { method: 'GET', path: container.path, query } as const;
  const answer = await container.send(request, { signal, accepts: [200, 400, 403, 404, 501] });
  return answer.header('x-ms-is-hns-enabled') === 'true';
};

/** In the order of the keys' bytes. The service has no way to begin after a key: all are asked for. */
export const makeLister = (container: Container, rooted: Rooted) => {
  let hierarchical: boolean | undefined;

  async function* asListed(prefix: string, signal: AbortSignal): AsyncGenerator<StoreFile> {
    for await (const page of pagesOf(container, rooted.fullPrefix(prefix), signal)) {
      for (const blob of page) {
        const file = fileOf(rooted, blob);
        if (file) yield file;
        signal.throwIfAborted();
      }
    }
  }

  async function* sorted(prefix: string, signal: AbortSignal): AsyncGenerator<StoreFile> {
    const files: StoreFile[] = [];
    for await (const file of asListed(prefix, signal)) {
      files.push(file);
      if (files.length > mostSorted) throw tooMany();
    }
    yield* files.sort((one, other) => compare(one.key, other.key));
  }

  return async function* list(
    { prefix, after }: { prefix: string; after: string },
    signal: AbortSignal,
  ): AsyncGenerator<StoreFile> {
    hierarchical ??= await isHierarchical(container, signal);
    const files = hierarchical ? sorted(prefix, signal) : asListed(prefix, signal);
    for await (const file of files) {
      if (after === '' || compare(file.key, after) > 0) yield file;
    }
  };
};
