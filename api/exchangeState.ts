import type { DefaultContext, ParameterizedContext } from 'koa';
import type { ErrorShape } from './family.js';

/** What the middlewares tell each other about one request. */
export interface ApiState {
  requestId: string;
  address: string;
  shape: ErrorShape;
  /** Of the route that matched: metric label and log field. */
  routeName: string;
}

export type ApiContext = ParameterizedContext<ApiState, DefaultContext & { captures?: string[] }>;
export type Next = () => Promise<unknown>;
