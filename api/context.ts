import type { ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { Principal, WorkspaceScope } from '../core/scope.js';
import type { Repos } from '../db/repos/index.js';
import type { ApiPorts, Live, Secrets } from './ports.js';

/** What every handler gets. */
export interface PlainContext {
  /** In a write handler these run in its transaction, elsewhere outside of any. */
  readonly repos: Repos;
  readonly secrets: Secrets;
  /** Aborted when the client goes away before it was answered. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly requestId: string;
  /** Of the peer of the socket; nothing that a header claims. */
  readonly address: string;
}

export interface ScopedContext extends PlainContext {
  readonly scope: WorkspaceScope;
  readonly principal: Principal;
}

/** Nobody in particular asks: there is no workspace to look into yet. */
export type PublicContext = PlainContext;

export interface LiveContext extends PlainContext {
  readonly live: Live;
}

/** Who asks; absent on public routes. */
export interface Caller {
  readonly principal: Principal;
  readonly scope: WorkspaceScope;
}

/** One request while it is served. Signal and logger are made when somebody wants them. */
export class Exchange {
  private controller: AbortController | undefined;
  private logger: Logger | undefined;

  constructor(
    readonly ports: ApiPorts,
    readonly requestId: string,
    readonly address: string,
    readonly routeName: string,
    private readonly response: ServerResponse,
  ) {}

  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = new AbortController();
      this.controller = controller;
      const abort = (): void => {
        if (!this.response.writableFinished) controller.abort();
      };
      if (this.response.closed) abort();
      else this.response.once('close', abort);
    }
    return this.controller.signal;
  }

  get log(): Logger {
    this.logger ??= this.ports.log.child({ requestId: this.requestId, route: this.routeName });
    return this.logger;
  }
}

/** What a handler sees of an exchange. The same class for all: routes narrow it by their types. */
export class HandlerContext implements ScopedContext, LiveContext {
  constructor(
    private readonly exchange: Exchange,
    private readonly caller: Caller | undefined,
    readonly repos: Repos,
  ) {}

  within(repos: Repos): HandlerContext {
    return new HandlerContext(this.exchange, this.caller, repos);
  }

  get principal(): Principal {
    return this.known().principal;
  }
  get scope(): WorkspaceScope {
    return this.known().scope;
  }
  get secrets(): Secrets {
    return this.exchange.ports.secrets;
  }
  get live(): Live {
    return this.exchange.ports.live;
  }
  get signal(): AbortSignal {
    return this.exchange.signal;
  }
  get log(): Logger {
    return this.exchange.log;
  }
  get requestId(): string {
    return this.exchange.requestId;
  }
  get address(): string {
    return this.exchange.address;
  }

  private known(): Caller {
    if (!this.caller) throw new Error('A public route has no principal.');
    return this.caller;
  }
}
