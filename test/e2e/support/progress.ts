import { query } from '../../support/service.js';
import type { Service } from '../../support/service.js';
import { waitFor } from '../../support/wait.js';

/** How many splits of all its stages a destination has committed. */
const committed = async (url: string): Promise<number> => {
  const [there] = await query<{ there: boolean }>(
    url,
    `select to_regclass('_fluxline.commits') is not null as there`,
  );
  if (!there?.there) return 0;
  const [row] = await query<{ splits: string }>(
    url,
    'select count(*) as splits from _fluxline.commits where split >= 0',
  );
  return Number(row?.splits);
};

/** Until the destination has this part of a run's splits, and never mind how fast it is. */
export const untilCommitted = async (
  service: Service,
  runId: string,
  part: number,
): Promise<void> => {
  await waitFor(
    async () => {
      const [row] = await query<{ splits: string }>(
        service.metadata.url,
        'select count(*) as splits from job_splits where job_id = $1',
        [runId],
      );
      const splits = Number(row?.splits);
      return splits > 0 && (await committed(service.target.url)) >= Math.floor(splits * part);
    },
    { timeoutMs: 120_000, what: `${part} of the splits of ${runId} to be committed` },
  );
};
