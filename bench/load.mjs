/** Keeps a number of connections busy for a while and counts what comes back. */
import http from 'node:http';

/**
 * @param {{url: string, method: string, headers?: Record<string, string>, connections: number,
 *   seconds: number, body?: (n: number) => string}} options
 * @returns {Promise<{perSecond: number, errors: number}>}
 */
export async function load({ url, method, headers = {}, connections, seconds, body }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const end = performance.now() + seconds * 1000;
  let done = 0;
  let errors = 0;
  let number = 0;

  const once = () =>
    new Promise((resolve) => {
      const text = body?.(number++);
      const request = http.request(
        url,
        {
          method,
          agent,
          headers: {
            ...headers,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
          },
        },
        (response) => {
          if (response.statusCode !== 200) errors += 1;
          response.resume();
          response.on('end', resolve);
        },
      );
      request.on('error', () => {
        errors += 1;
        resolve(undefined);
      });
      request.end(text);
    });

  const started = performance.now();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < end) {
        await once();
        done += 1;
      }
    }),
  );
  agent.destroy();
  return { perSecond: done / ((performance.now() - started) / 1000), errors };
}
