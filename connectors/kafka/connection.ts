import type { Socket } from 'node:net';
import { Reader, Writer } from '@platformatic/kafka';
import type { Call } from './calls.js';

export interface BrokerConnection {
  /** As host:port, for messages. */
  readonly where: string;
  /** What it answers. Fails with `ConnectionLost` or `NoAnswer`, or with why it was closed. */
  ask<Answer>(call: Call<Answer>): Promise<Answer>;
  /** Whether it can still be asked. */
  usable(): boolean;
  close(reason?: Error): void;
}

/** The broker hung up, or the network did. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Nothing came within the time that is given. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** What came is not what brokers say. */
export class NoKafka extends Error {
  override readonly name = 'NoKafka';

  constructor(readonly firstBytes: Buffer) {
    super('the answer is no answer of a broker');
  }
}

/** What came is larger than what is held. */
export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

export interface ConnectionLimits {
  /** Larger answers are refused by their length. */
  mostBytes: number;
  answerMs: number;
}

interface Waiting {
  id: number;
  take(answer: Buffer): void;
  fail(error: Error): void;
}

const sizeBytes = 4;
const clientId = 'fluxline';

const framed = <Answer>({ api, version, request, tags }: Call<Answer>, id: number): Buffer => {
  const writer = Writer.create()
    .appendInt16(api)
    .appendInt16(version)
    .appendInt32(id)
    .appendString(clientId, false);
  if (tags.request) writer.appendTaggedFields();
  return writer.appendFrom(request).prependLength().buffer;
};

/** Answers come in the order of the requests, each behind its length. */
export const makeConnection = (
  socket: Socket,
  where: string,
  { mostBytes, answerMs }: ConnectionLimits,
): BrokerConnection => {
  const waiting: Waiting[] = [];
  const size = Buffer.alloc(sizeBytes);
  let sizeHas = 0;
  let answer: Buffer | undefined;
  let answerHas = 0;
  let nextId = 1;
  let ended: Error | undefined;

  const end = (error: Error): void => {
    if (ended) return;
    ended = error;
    socket.destroy();
    for (const one of waiting.splice(0)) one.fail(error);
  };

  const begin = (): void => {
    const length = size.readInt32BE(0);
    // An identity stands before whatever is said; nobody asked for what comes unasked.
    const isUnasked = length < sizeBytes || waiting.length === 0;
    if (isUnasked || length > mostBytes) {
      const isKafka = !isUnasked && nextId > 2;
      end(isKafka ? new AnswerTooLarge(`${length} bytes`) : new NoKafka(Buffer.from(size)));
    } else {
      answer = Buffer.allocUnsafeSlow(length);
      answerHas = 0;
    }
  };

  const complete = (whole: Buffer): void => {
    const one = waiting.shift();
    if (one && whole.readInt32BE(0) === one.id) one.take(whole);
    else end(new NoKafka(whole.subarray(0, sizeBytes)));
  };

  const take = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length && !ended;) {
      if (answer === undefined) {
        const part = chunk.copy(size, sizeHas, at, at + sizeBytes - sizeHas);
        at += part;
        sizeHas += part;
        if (sizeHas < sizeBytes) return;
        sizeHas = 0;
        begin();
        continue;
      }
      const part = chunk.copy(answer, answerHas, at);
      at += part;
      answerHas += part;
      if (answerHas < answer.length) return;
      const whole = answer;
      answer = undefined;
      complete(whole);
    }
  };

  const lost = (cause?: Error): void =>
    end(new ConnectionLost('the connection was lost', cause === undefined ? {} : { cause }));
  socket.on('data', take);
  socket.on('error', lost);
  socket.on('close', () => lost());

  const exchange = (bytes: Buffer, id: number): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      if (ended) {
        reject(ended);
        return;
      }
      const timer = setTimeout(() => end(new NoAnswer('no answer came in time')), answerMs);
      waiting.push({
        id,
        take: (whole) => {
          clearTimeout(timer);
          resolve(whole);
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      socket.write(bytes);
    });

  return {
    where,
    usable: () => ended === undefined,
    close: (reason = new ConnectionLost('closed')) => end(reason),
    ask: async (call) => {
      const id = nextId++;
      const whole = await exchange(framed(call, id), id);
      const reader = Reader.from(whole);
      reader.skip(sizeBytes);
      if (call.tags.answer) reader.readTaggedFields();
      return call.read(reader, whole);
    },
  };
};
