/** FLX_STAGING_URL: which connector it means, and with what configuration. */
import { fileURLToPath } from 'node:url';
import type { ConnectionConfig } from '../../connectors/connector.js';
import { RunFailure } from '../../core/failures.js';

/** Of a store that asks for them; URLs get into logs and process lists, so that they hold none. */
export interface StagingCredentials {
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  sessionToken?: string | undefined;
}

const refused = (message: string): RunFailure =>
  new RunFailure({ code: 'config_invalid', class: 'config', message });

const known = ['endpoint', 'region', 'pathStyle'];

/** `s3://bucket/prefix?endpoint=…&region=…&pathStyle=true` */
const bucketOf = (url: URL, credentials: StagingCredentials): ConnectionConfig => {
  const { hostname, pathname, searchParams, username, password } = url;
  const unknown = [...searchParams.keys()].find((name) => !known.includes(name));
  if (unknown !== undefined || username !== '' || password !== '') {
    throw refused(`FLX_STAGING_URL: after s3://bucket/prefix only ${known.join(', ')} may follow.`);
  }
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw refused(
      'FLX_STAGING_URL is in S3: set FLX_STAGING_ACCESS_KEY_ID and FLX_STAGING_SECRET_ACCESS_KEY, ' +
        'or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  }
  const endpoint = searchParams.get('endpoint');
  if (endpoint !== null && !/^https?:\/\/[^/?#@\s]+\/?$/.test(endpoint)) {
    throw refused('FLX_STAGING_URL: endpoint is a URL of a host, such as http://minio:9000.');
  }
  const region = searchParams.get('region');
  if (region === null && endpoint === null) {
    throw refused('FLX_STAGING_URL is in S3: add ?region= with the region of the bucket.');
  }
  const pathStyle = searchParams.get('pathStyle');
  if (pathStyle !== null && !['true', 'false'].includes(pathStyle)) {
    throw refused('FLX_STAGING_URL: pathStyle is true or false.');
  }
  return {
    bucket: hostname,
    prefix: decodeURIComponent(pathname),
    region: region ?? 'us-east-1',
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    ...(endpoint === null ? {} : { endpoint }),
    ...(pathStyle === null ? {} : { pathStyle: pathStyle === 'true' }),
  };
};

export const stagingConnection = (
  url: string,
  credentials: StagingCredentials,
): { id: string; config: ConnectionConfig } => {
  if (url.startsWith('file://')) return { id: 'local', config: { directory: fileURLToPath(url) } };
  if (url.startsWith('/')) return { id: 'local', config: { directory: url } };
  if (url.startsWith('s3://') && URL.canParse(url) && new URL(url).hostname !== '') {
    return { id: 's3', config: bucketOf(new URL(url), credentials) };
  }
  throw refused('FLX_STAGING_URL has to be an absolute path, a file:// or an s3:// URL.');
};
