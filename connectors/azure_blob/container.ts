import type { Dispatcher } from 'undici';
import type { ConnectReason } from '../../core/connecting.js';
import type { Role } from '../manifest.js';
import { encodeKey } from '../objects/keys.js';
import { makeSender } from '../objects/sender.js';
import type { ObjectRequest, Sender, SignedRequest } from '../objects/sender.js';
import { parseXml, textAt } from '../objects/xml.js';
import type { AzureConfig } from './manifest.js';
import { dated, signShared } from './sign.js';

/** A container that can be talked to. */
export interface Container extends Sender {
  /** The path of the container in URLs, and of a blob in it. */
  path: string;
  pathOf: (key: string) => string;
  /** A blob's whole URL, with what lets the service itself read it. */
  urlOf: (key: string) => string;
}

const reasons: Readonly<Record<string, ConnectReason>> = {
  AuthenticationFailed: 'login_refused',
  InvalidAuthenticationInfo: 'login_refused',
  NoAuthenticationInformation: 'login_refused',
  ContainerNotFound: 'database_missing',
  ContainerDisabled: 'database_missing',
  ContainerBeingDeleted: 'database_missing',
  ResourceNotFound: 'database_missing',
  InvalidResourceName: 'database_missing',
  AuthorizationFailure: 'permission_denied',
  AuthorizationPermissionMismatch: 'permission_denied',
  AuthorizationResourceTypeMismatch: 'permission_denied',
  PublicAccessNotPermitted: 'permission_denied',
};

type Sign = (request: ObjectRequest) => SignedRequest;

const signerOf = ({ account, accountKey }: AzureConfig, sas: Record<string, string>): Sign =>
  accountKey !== undefined && Object.keys(sas).length === 0
    ? (request) => signShared(request, { account, accountKey }, new Date())
    : ({ query = {}, headers = {} }) => ({
        query: { ...sas, ...query },
        headers: dated(headers, new Date()),
      });

export const openContainer = (
  config: AzureConfig,
  role: Role,
  dispatcher: Dispatcher,
): Container => {
  const { account, container, sasToken = '' } = config;
  const base = new URL(config.endpoint ?? `https://${account}.blob.core.windows.net`);
  const sas = new URLSearchParams(sasToken.replace(/^\?/, ''));
  const path = `${base.pathname.replace(/\/$/, '')}/${container}`;
  const pathOf = (key: string): string => `${path}/${encodeKey(key)}`;
  const search = sasToken === '' ? '' : `?${sas.toString()}`;
  return {
    ...makeSender({
      dispatcher,
      origin: base.origin,
      words: {
        role,
        where: `Container ${container} at ${base.host}`,
        reasons,
        missing: 'BlobNotFound',
      },
      sign: signerOf(config, Object.fromEntries(sas)),
      codeOf: ({ header, text }) => header('x-ms-error-code') ?? textAt(parseXml(text), 'Code'),
    }),
    path,
    pathOf,
    urlOf: (key) => `${base.origin}${pathOf(key)}${search}`,
  };
};
