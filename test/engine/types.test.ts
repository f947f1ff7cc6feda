import { makeNotes } from './types/notes.js';
import { postgresSection } from './types/postgresSection.js';
import { csvSection, jsonSection, parquetSection } from './types/filesSection.js';
import { shapesSection, meetingsSection } from './types/shapesSection.js';
import { ownTypes } from './types/postgresSamples.js';
import { makeWorld } from './types/world.js';
const own = async (w: any) => { await w.source.query(ownTypes); return ''; };
const meet = (w: any) => meetingsSection(w, ownTypes);
test('x', async () => {
  const world = await makeWorld();
  try {
  const notes = makeNotes([]);
  const out: string[] = [];
  for (const f of ((process.env.S ?? "") === "" ? [postgresSection, csvSection, jsonSection, parquetSection, shapesSection, meet] : [own, meet, shapesSection, csvSection, jsonSection, parquetSection])) {
  const t = Date.now();
  out.push(await f(world, notes));
  out.push(f.name + ' ' + (Date.now() - t)); require('node:fs').writeFileSync('/tmp/out.md', out.join('\n\n'));
  }
  let c = ''; try { c = notes.conversions(); } catch (e) { c = String(e); }
  require('node:fs').writeFileSync('/tmp/out.md', [...out, c, notes.refusals()].join('\n\n'));
  } catch (e) { const x = e as any; console.log(x?.engineError ?? x); throw e; } finally { await world.close(); }
});
