import { makeNotes } from './types/notes.js';
import { postgresSection } from './types/postgresSection.js';
import { makeWorld } from './types/world.js';
test('x', async () => {
  const world = await makeWorld();
  try {
  const notes = makeNotes([]);
  const t = Date.now();
  const s = await postgresSection(world, notes);
  let c = ''; try { c = notes.conversions(); } catch (e) { c = String(e); }
  require('node:fs').writeFileSync('/tmp/out.md', [s, c, notes.refusals(), Date.now() - t].join('\n\n'));
  } finally { await world.close(); }
});
