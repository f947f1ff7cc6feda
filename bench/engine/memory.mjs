/** What the worker and its children hold at the most, however many rows there are. */
import { fillSql, tableSql } from './data.mjs';
import { watch } from './watch.mjs';

const rows = Number(process.env.FLX_BENCH_MEMORY_ROWS ?? 10_000_000);

export async function memory({ stage, db, pipeline, source, table, derived, chain }) {
  await db.query(`${tableSql('large')}; ${fillSql('large', rows)}`);
  const results = [];
  for (const [what, ...steps] of [
    ['straight'],
    ['through DuckDB', ...derived("levenshtein(status, 'paid')")],
  ]) {
    await db.query('drop table if exists target');
    const graph = chain(source('large'), ...steps, table('target'));
    const run = await pipeline(`memory ${what}`, graph.nodes, graph.edges);
    const watching = watch(stage.worker.child.pid);
    const seconds = await run();
    const { cpuSeconds, peakBytes } = watching.stop();
    results.push({
      what: `${rows} rows × 16, ${what}`,
      ours: `${seconds.toFixed(2)} s`,
      wanted: '< 1536 MiB',
      'rows/s': Math.round(rows / seconds),
      'rows/CPU-s': Math.round(rows / cpuSeconds),
      'peak RSS': `${Math.round(peakBytes / 2 ** 20)} MiB`,
    });
    console.log(results.at(-1));
  }
  return results;
}
