import { signV4 } from '../../connectors/s3/sign.js';

// The examples of Amazon's documentation of Signature Version 4 for S3.
const credentials = {
  region: 'us-east-1',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const host = 'examplebucket.s3.amazonaws.com';
const now = new Date('2013-05-24T00:00:00Z');

it.each([
  [
    { method: 'GET', path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    {
      method: 'PUT',
      path: '/test%24file.text',
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      },
      body: Buffer.from('Welcome to Amazon S3.'),
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    { method: 'GET', path: '/', query: { lifecycle: '' } },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    { method: 'GET', path: '/', query: { prefix: 'J', 'max-keys': '2' } },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
] as const)('signs %j', (request, signature) => {
  const { headers } = signV4(request, host, credentials, now);
  expect(headers['authorization']).toContain(`Signature=${signature}`);
});

it('signs the token of temporary credentials', () => {
  const request = { method: 'GET', path: '/' } as const;
  const { headers } = signV4(request, host, { ...credentials, sessionToken: 'token' }, now);
  expect(headers['x-amz-security-token']).toBe('token');
  expect(headers['authorization']).toMatch(/SignedHeaders=[^,]*;x-amz-security-token,/);
});
