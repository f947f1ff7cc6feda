/**
 * What a person needs to know once everything is up.
 * @param {{apiUrl: string, basePrefix: string, temporalUi: string | null, dataDirectory: string,
 *   egress: string, apiKey: string | null, isNewKey: boolean, keyFile: string | null}} facts
 * @returns {string[]}
 */
export function summaryLines(facts) {
  const { apiUrl, basePrefix, temporalUi, dataDirectory, egress } = facts;
  const { apiKey, isNewKey, keyFile } = facts;
  const bearer =
    keyFile === null ? apiKey : `$(cat '${keyFile.replaceAll("'", String.raw`'\''`)}')`;
  const keyLine = isNewKey
    ? `${apiKey ?? ''}  (shown once${keyFile === null ? '' : `; kept in ${keyFile}`})`
    : keyFile === null
      ? 'printed by the first start; make another over the API if it is lost'
      : `in ${keyFile}`;
  return [
    '',
    'Fluxline is ready.',
    `  API       ${apiUrl}${basePrefix}/api`,
    `  Docs      ${apiUrl}/docs`,
    ...(temporalUi === null ? [] : [`  Temporal  ${temporalUi}`]),
    `  API key   ${keyLine}`,
    `  Data      ${dataDirectory}`,
    `  Reach     public addresses${egress === '' ? '' : `, and ${egress}`} (FLX_EGRESS_ALLOW_CIDRS)`,
    '',
    'Try:',
    bearer === null
      ? `  curl -s ${apiUrl}/readyz`
      : `  curl -s -H "Authorization: Bearer ${bearer}" ${apiUrl}${basePrefix}/api/projects`,
    '',
    'Stop with Ctrl-C; the next start goes on where this one stopped.',
  ];
}
