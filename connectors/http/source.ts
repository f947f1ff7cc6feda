import { RunFailure } from '../../core/failures.js';
import { JsonFlaw, parsePath } from '../../core/jsonText.js';
import type { SourceHttpConfig } from '../../core/nodes/sourceHttp.js';
import type { CallContext, SplitRange } from '../connector.js';
import type { DocumentSource } from '../documents.js';
import type { Addresses } from './address.js';
import { shownAddress } from './address.js';
import { notJson } from './answers.js';
import type { Answer } from './answers.js';
import type { ApiClient, ApiRequest } from './client.js';
import { makePager } from './pager.js';
import type { PageAnswer, Stretch } from './pager.js';
import { recordsIn, wordAt } from './records.js';

export interface HttpSourceDeps {
  client: ApiClient;
  addresses: Addresses;
  /** Readers side by side would each keep to it, and together not. */
  rateLimit: number | undefined;
}

const nothingThere = (url: URL, recordPath: string): RunFailure =>
  new RunFailure({
    code: 'config_invalid',
    class: 'config',
    message: `GET ${shownAddress(url)}: the answer has nothing at ${recordPath}: check recordPath.`,
  });

/** Others are no JSON whatever they look like; some APIs call it plain text. */
const isOtherType = (answer: Answer): boolean =>
  /^(text\/(?!json|plain|x-json)|image\/|application\/(xml|pdf|zip|.*\+xml))/i.test(
    answer.header('content-type') ?? '',
  );

const firstOf = async <Item>(items: AsyncIterable<Item>): Promise<Item | undefined> => {
  for await (const item of items) return item;
  return undefined;
};

/** It was kept as JSON of this shape by `splits`, and by nobody else. */
const stretchOf = (range: SplitRange): Stretch => range as unknown as Stretch;

export const makeHttpSource = ({
  client,
  addresses,
  rateLimit,
}: HttpSourceDeps): DocumentSource<SourceHttpConfig> => {
  const pageOf = (
    request: ApiRequest,
    answer: Answer,
    { recordPath = '' }: SourceHttpConfig,
    first: boolean,
  ): PageAnswer => {
    if (isOtherType(answer)) throw notJson(request, answer, 'by its type');
    const { body: page } = answer;
    const links = answer.header('link');
    try {
      const records = recordsIn(page, parsePath(recordPath));
      if (records) return { ...records, page, links };
    } catch (error) {
      if (!(error instanceof JsonFlaw)) throw error;
      throw notJson(request, answer, 'by its text');
    }
    if (first) throw nothingThere(request.url, recordPath);
    return { count: 0, lines: Buffer.alloc(0), last: undefined, page, links };
  };

  async function* pages(
    config: SourceHttpConfig,
    stretch: Stretch,
    { signal }: CallContext,
  ): AsyncGenerator<PageAnswer> {
    const { path, query = {}, pagination } = config;
    const pager = makePager(pagination, stretch);
    let url = addresses.below(path, query);
    let turn: ReturnType<typeof pager.next> = pager.first();
    for (let number = 1; turn; number += 1) {
      url =
        'link' in turn
          ? addresses.following(turn.link, url)
          : addresses.below(path, { ...query, ...turn.params });
      const request = { method: 'GET' as const, url };
      const page = pageOf(request, await client.send(request, { signal }), config, number === 1);
      yield page;
      turn = pager.next(page);
    }
  }

  /** Where an API says how many records it has, they are read in several stretches side by side. */
  const stretches = async (
    config: SourceHttpConfig,
    targetBytes: number,
    ctx: CallContext,
  ): Promise<readonly Stretch[]> => {
    const whole = [{ from: 0 }];
    const { pagination } = config;
    if (pagination?.type !== 'offset' || pagination.totalPath === undefined) return whole;
    if (rateLimit !== undefined) return whole;
    const first = await firstOf(pages(config, { from: 0 }, ctx));
    if (!first || first.count === 0) return whole;
    const total = Number(wordAt(first.page, parsePath(pagination.totalPath)));
    if (!Number.isSafeInteger(total)) return whole;
    const recordBytes = first.lines.length / first.count;
    const each = Math.max(pagination.pageSize, Math.floor(targetBytes / recordBytes));
    if (total <= each) return whole;
    const starts = Array.from({ length: Math.ceil(total / each) }, (_, index) => index * each);
    return starts.map((from) => ({ from, to: Math.min(from + each, total) }));
  };

  return {
    splits: async ({ config }, { targetBytes }, ctx) => {
      const ranges = await stretches(config, targetBytes, ctx);
      return { ranges: ranges.map((stretch) => ({ ...stretch })) };
    },

    sample: async function* ({ config }, records, ctx) {
      let count = 0;
      for await (const page of pages(config, { from: 0 }, ctx)) {
        yield page.lines;
        count += page.count;
        if (count >= records) return;
      }
    },

    read: async function* ({ config }, range, ctx) {
      for await (const { lines } of pages(config, stretchOf(range), ctx)) yield lines;
    },
  };
};
