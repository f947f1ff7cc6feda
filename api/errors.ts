import { AppError } from '../core/errors.js';
import type { ErrorCode, ErrorDetails } from '../core/errors.js';
import { isUnavailable } from '../db/unavailable.js';
import type { ErrorShape } from './family.js';

/** What goes over the wire for an error: nothing but what was meant for the client. */
export interface RenderedError {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface ErrorPlace {
  shape: ErrorShape;
  path: string;
  requestId: string;
}

/** Details that steer the answer instead of standing in it. */
const steering: ReadonlySet<string> = new Set([
  'errors',
  'retryAfterSeconds',
  'challenge',
  'authFailure',
  'allow',
  'closeConnection',
  'icebergType',
  'oauthError',
]);

const usualRetrySeconds = 5;

/** Whatever was thrown, as one of our errors; what is not ours is internal and says nothing. */
export const toAppError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  return isUnavailable(error)
    ? new AppError('unavailable', 'The database is busy or away; try again in a moment.', {
        retryAfterSeconds: 1,
      })
    : new AppError('internal', 'Something went wrong here. The request id finds it in our logs.');
};

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

const titleOf = (code: ErrorCode): string => {
  const words = code.replace(/_/g, ' ');
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}`;
};

const publicDetails = (details: ErrorDetails): Readonly<Record<string, unknown>> | undefined => {
  const shown = Object.entries(details).filter(([key]) => !steering.has(key));
  return shown.length > 0 ? Object.fromEntries(shown) : undefined;
};

const problem = (error: AppError, { path, requestId }: ErrorPlace): unknown => ({
  type: `urn:fluxline:problem:${error.code}`,
  title: titleOf(error.code),
  status: error.status,
  detail: error.message,
  instance: path,
  code: error.code,
  request_id: requestId,
  errors: error.details.errors ?? [],
  details: publicDetails(error.details),
});

const icebergTypes: Readonly<Record<number, string>> = {
  400: 'BadRequestException',
  401: 'NotAuthorizedException',
  403: 'ForbiddenException',
  404: 'NotFoundException',
  405: 'UnsupportedOperationException',
  409: 'AlreadyExistsException',
  413: 'BadRequestException',
  415: 'BadRequestException',
  422: 'UnprocessableEntityException',
  429: 'TooManyRequestsException',
  500: 'InternalServerError',
  502: 'BadGatewayException',
  503: 'ServiceUnavailableException',
  504: 'GatewayTimeoutException',
};

/** The catalog names its 404s and 409s by what is missing or clashing: the thrower knows. */
const iceberg = (error: AppError): unknown => {
  const places = (error.details.errors ?? []).map(
    ({ pointer, message }) => `${pointer}: ${message}`,
  );
  return {
    error: {
      message: [error.message, ...places].join(' '),
      type: text(error.details['icebergType']) ?? icebergTypes[error.status] ?? 'RESTException',
      code: error.status,
    },
  };
};

const oauthError = ({ status }: AppError): string => {
  if (status === 401) return 'invalid_client';
  return status < 500 ? 'invalid_request' : 'server_error';
};

const oauth = (error: AppError): unknown => ({
  error: text(error.details['oauthError']) ?? oauthError(error),
  error_description: error.message,
});

const headersOf = (error: AppError, shape: ErrorShape): Record<string, string> => {
  const { details, status } = error;
  const headers: Record<string, string> = {
    'Content-Type': shape === 'problem' ? 'application/problem+json' : 'application/json',
  };
  const challenge = text(details['challenge']);
  if (challenge !== undefined) headers['WWW-Authenticate'] = challenge;
  const allow = text(details['allow']);
  if (allow !== undefined) headers['Allow'] = allow;
  if (details['closeConnection'] === true) headers['Connection'] = 'close';
  const retry = details.retryAfterSeconds ?? (status === 503 ? usualRetrySeconds : undefined);
  if (retry !== undefined) headers['Retry-After'] = String(Math.ceil(retry));
  return headers;
};

export const renderError = (error: AppError, place: ErrorPlace): RenderedError => {
  const shapes = { problem, iceberg, oauth };
  return {
    status: error.status,
    headers: headersOf(error, place.shape),
    body: JSON.stringify(shapes[place.shape](error, place)),
  };
};
