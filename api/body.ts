import type { IncomingMessage } from 'node:http';
import { AppError } from '../core/errors.js';

/** The client went away; there is nobody left to answer. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export interface BodyLimits {
  maxBytes: number;
  timeoutMs: number;
}

/** Beyond the limit this much is still read and dropped, so that the refusal can be heard. */
const politeBytes = 8 * 1024 * 1024;
const empty = Buffer.alloc(0);

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined ||
  (headers['content-length'] !== undefined && headers['content-length'] !== '0');

const tooLarge = (maxBytes: number, closing: boolean): AppError =>
  new AppError('body_too_large', `The body may hold at most ${maxBytes} bytes.`, {
    maxBytes,
    ...(closing ? { closeConnection: true } : {}),
  });

/** The whole body, or an error once it is too large, too slow, or cut off. */
export const readBody = (
  request: IncomingMessage,
  { maxBytes, timeoutMs }: BodyLimits,
): Promise<Buffer> => {
  if (!hasBody(request)) return Promise.resolve(empty);
  if (Number(request.headers['content-length']) > maxBytes + politeBytes) {
    return Promise.reject(tooLarge(maxBytes, true));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;

    const finish = (error?: Error): void => {
      clearTimeout(timer);
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      if (error) reject(error);
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        chunks.length = 0;
        if (size > maxBytes + politeBytes) finish(tooLarge(maxBytes, true));
      }
    };
    const onEnd = (): void => finish(size > maxBytes ? tooLarge(maxBytes, false) : undefined);
    const onGone = (): void => finish(new ClientGone('The request was cut off.'));
    const timer = setTimeout(() => {
      finish(
        new AppError('malformed_body', `The body did not arrive within ${timeoutMs / 1_000} s.`, {
          closeConnection: true,
        }),
      );
    }, timeoutMs);

    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
  });
};
