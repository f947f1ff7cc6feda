/** What the settings of all stores have in common. */
import { Type } from '@sinclair/typebox';

export const prefixSetting = Type.Optional(
  Type.String({ maxLength: 512, description: 'Only what lies below it is read and written' }),
);

export const reachingSettings = {
  timeoutSeconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 300,
      default: 60,
      description: 'How long a request waits for its answer to begin or to go on',
    }),
  ),
  caCertificate: Type.Optional(
    Type.String({
      maxLength: 65536,
      description: 'PEM of the authority that signed the certificate of the endpoint',
    }),
  ),
};
