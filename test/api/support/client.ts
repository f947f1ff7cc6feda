export interface Answered {
  status: number;
  // Tests read answers of many shapes; each states the one it expects.
  body: Readonly<Record<string, unknown>> & { id: string };
}

export type Client = (method: string, path: string, body?: unknown) => Promise<Answered>;

/** Calls the API with one key. */
export const makeClient =
  (url: string, token: string): Client =>
  async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: (text === '' ? {} : JSON.parse(text)) as Answered['body'],
    };
  };
