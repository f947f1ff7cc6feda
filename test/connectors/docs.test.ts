/**
 * docs/connectors.md is what the manifests say. To write it anew:
 * FLX_WRITE_DOCS=1 npx jest --selectProjects unit -- test/connectors/docs
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { connectionTypes, connectionManifest } from '../../connectors/catalog.js';
import type { Manifest } from '../../connectors/manifest.js';

const regenerate = 'FLX_WRITE_DOCS=1 npx jest --selectProjects unit -- test/connectors/docs';
const path = join(__dirname, '../../docs/connectors.md');

interface Schema extends TSchema {
  anyOf?: readonly Schema[];
  const?: unknown;
  type?: string;
  items?: Schema;
}

const kindOf = (schema: Schema): string => {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.anyOf) return schema.anyOf.map(kindOf).join(', ');
  if (schema.type === 'array' && schema.items) return `list of ${kindOf(schema.items)}`;
  return schema.type ?? 'any';
};

const settings = ({ config, secretKeys }: Manifest): string[] =>
  Object.entries(config.properties).map(([key, property]) => {
    const schema = property as Schema;
    const facts = [
      kindOf(schema),
      ...(config.required?.includes(key) ? ['required'] : []),
      ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
      ...(secretKeys.includes(key) ? ['secret'] : []),
    ];
    const words = schema.description === undefined ? '' : `: ${schema.description}`;
    return `- \`${key}\` (${facts.join('; ')})${words}`;
  });

const section = (manifest: Manifest): string[] => {
  const { id, title, capabilities, example, remarks = [] } = manifest;
  const ends = capabilities.filter((capability) => capability.includes('.'));
  const live = capabilities.filter((capability) => !capability.includes('.'));
  const named = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');
  return [
    `## \`${id}\`: ${title}`,
    '',
    `Nodes: ${named(ends)}. Live: ${live.length === 0 ? 'nothing' : named(live)}.`,
    '',
    ...settings(manifest),
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
    ...remarks.flatMap((remark) => [remark, '']),
  ];
};

const page = (): string => {
  const manifests = connectionTypes.flatMap((type) => connectionManifest(type) ?? []);
  const lines = [
    '# Connectors',
    '',
    'What a connection can be of, as `GET /api/connection-types` says it too. Secrets are sealed when a',
    'connection is made and never shown again. Which checks each connector has passed against the real',
    'system is in [conformance.md](conformance.md), how to use connections in',
    '[connections.md](connections.md).',
    '',
    `This page is made from the manifests by a test: \`${regenerate}\`.`,
    '',
    ...manifests.flatMap(section),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
};

it('docs/connectors.md says what the manifests say', async () => {
  const wanted = page();
  if (process.env['FLX_WRITE_DOCS'] === '1') await writeFile(path, wanted);
  expect(await readFile(path, 'utf8')).toBe(wanted);
});
